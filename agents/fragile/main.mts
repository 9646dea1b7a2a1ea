// A demo of failure: an A2A agent without any package, which dies in the middle of its answer, as a crash would end
// it, and knows nothing of its tasks when it is started again. Most agents are like that.
import { timingSafeEqual } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const port = Number(process.env.PORT ?? 8005);
/** Where there is one, only who shows it may ask: it is Parley's. */
const key = process.env.PARLEY_KEY;
const WORDS = "I have begun, and half of it is done. Next I".split(" ");
const WORD_MS = 80;

const card = {
  name: "fragile",
  description:
    "A demo of failure, and nothing else. Breaks when asked to, so that you can see what Parley says then.",
  version: "1.0.0",
  supportedInterfaces: [
    { url: `http://localhost:${port}/`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true },
  ...(key && {
    securitySchemes: { parley: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { parley: {} } }],
  }),
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [
    {
      id: "break",
      name: "Break",
      description: "Dies on purpose in the middle of its work.",
      tags: ["demo", "break", "fragile", "crash", "die", "failure"],
      examples: ["Break the fragile demo"],
    },
  ],
};

interface Call {
  readonly id: string | number;
  readonly method: string;
  readonly params?: { readonly message?: { readonly contextId?: string } };
}

/** Answers in words, one after the other, and does not live to say the last ones. */
async function dieWhileAnswering({ id, params }: Call, response: ServerResponse): Promise<void> {
  const task = { taskId: crypto.randomUUID(), contextId: params?.message?.contextId ?? crypto.randomUUID() };
  const send = (result: object) =>
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  const status = { state: "TASK_STATE_WORKING", timestamp: new Date().toISOString() };
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ task: { id: task.taskId, contextId: task.contextId, status } });
  for (const [index, word] of WORDS.entries()) {
    const artifact = { artifactId: "answer", parts: [{ text: index === 0 ? word : ` ${word}` }] };
    send({ artifactUpdate: { ...task, artifact, append: index > 0, lastChunk: false } });
    await pause(WORD_MS);
  }
  process.kill(process.pid, "SIGKILL");
}

function refuse({ id, method }: Call, response: ServerResponse): void {
  const error = method.endsWith("Task")
    ? { code: -32001, message: "There is no such task: I remember nothing from before I died" }
    : { code: -32004, message: "I can only break: ask by SendStreamingMessage" };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
}

function isAllowed(shown = ""): boolean {
  const [one, other] = [Buffer.from(shown), Buffer.from(`Bearer ${key}`)];
  return key === undefined || (one.length === other.length && timingSafeEqual(one, other));
}

const server = createServer(async (request, response) => {
  if (request.url === "/.well-known/agent-card.json") {
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify(card));
  }
  if (!isAllowed(request.headers.authorization))
    return response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  try {
    const call = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Call;
    if (call.method === "SendStreamingMessage") await dieWhileAnswering(call, response);
    else refuse(call, response);
  } catch {
    response.writeHead(400).end();
  }
});
server.listen(port, process.env.HOST ?? "127.0.0.1");
// Whoever started it has gone.
process.stdin.on("end", () => process.exit()).resume();
