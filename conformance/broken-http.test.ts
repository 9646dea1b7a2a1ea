import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type AgentProcess, startAgentProcess } from "./testing/agent-process.ts";
import { brokenHttp } from "./testing/fuzz/broken-http.ts";
import { Random } from "./testing/fuzz/random.ts";

const COUNT = 500;
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
const BODY = '{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}';
const HEAD = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${BODY.length}\r\n\r\n`;

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgentProcess();
});
afterAll(() => agent.kill());
// No client input may cause an internal error.
afterEach(() => expect(agent.complaints()).toBe(""));

const dial = (): Socket =>
  connect({ port: Number(new URL(agent.url).port), host: "127.0.0.1", allowHalfOpen: true });

/** The whole response to these bytes; then disconnects. */
async function answerTo(bytes: Buffer): Promise<string> {
  const socket = dial();
  socket.end(bytes);
  return text(socket).catch((error: NodeJS.ErrnoException) =>
    error.code === "ECONNRESET" ? "" : String(error),
  );
}

it(`${COUNT} malformed or smuggled HTTP requests are rejected in JSON or disconnected (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const faults: string[] = [];
  const ask = async () => {
    const bytes = brokenHttp(random);
    const answer = await answerTo(bytes);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    const answers = answer.split(/^HTTP\/1\.1 /m).length - 1;
    const isRefusal = answers === 1 && /^HTTP\/1\.1 4\d\d /.test(head) && isJson(body);
    if (answer !== "" && !isRefusal)
      faults.push(
        `${JSON.stringify(answer)}\n  to ${JSON.stringify(bytes.toString("latin1").slice(0, 300))}`,
      );
  };
  for (let n = 0; n < COUNT; n += 20) await Promise.all(Array.from({ length: 20 }, ask));
  expect(faults.slice(0, 10)).toEqual([]);
  expect(await answerTo(Buffer.from(HEAD + BODY))).toContain("200 OK");
});

it("a slow request body is served, and a body that never arrives delays no other request", async () => {
  const endless = dial();
  endless.write(HEAD + BODY.slice(0, 5));
  const slow = dial();
  slow.write(HEAD);
  for (const character of BODY) {
    slow.write(character);
    await sleep(1);
  }
  expect(await text(slow)).toContain('"result"');
  expect(await answerTo(Buffer.from(HEAD + BODY))).toContain('"result"');
  endless.destroy();
});

it("a client that disconnects mid-body leaves no error behind", async () => {
  await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const socket = dial();
      socket.write(HEAD + BODY.slice(0, n));
      await sleep(5);
      socket.resetAndDestroy();
    }),
  );
  expect(await answerTo(Buffer.from(HEAD + BODY))).toContain('"result"');
});

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}
