// npm run bench -- agent [--rounds N]: an agent's answer beside draining the same provider's stream in a plain loop.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { TaskEngine, taskTables } from "@parley/a2a";
import { type AgentDefinition, AgentExecutor, McpServers, McpToolBox } from "@parley/agent";
import { openSqliteJournal } from "@parley/journal";
import { openModel } from "@parley/models";
import { atMost, type Bar, finish, median, print, progress, round } from "./report/bars.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "30" } } });
const rounds = Math.max(1, Number(values.rounds) || 30);
const TOKENS = 2_000;
const AT_ONCE = 100;

const program = fileURLToPath(new URL("agent/compatible-server.ts", import.meta.url));
const endpoint = spawn(process.execPath, [program], {
  env: { PATH: process.env.PATH },
  stdio: ["ignore", "pipe", "inherit"],
});
const [printed] = await once(endpoint.stdout, "data");
const url = `${String(printed).trim()}/v1`;

const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
const journal = await openSqliteJournal({ projections: taskTables, folder });
const model = openModel(`openai-compatible:${TOKENS}`, { environment: { OPENAI_COMPATIBLE_BASE_URL: url } });
const provider = createOpenAICompatible({ name: "local", baseURL: url })(String(TOKENS));

const definition: AgentDefinition = {
  file: "bench.md",
  name: "bench",
  description: "Says what it is told to.",
  version: "1.0.0",
  skills: [],
  outputModes: [],
  mcpServers: {},
  approval: { tools: [] },
  limits: {},
  thinking: false,
  tokens: "artifact",
  instructions: "Go.",
};
const toolBox = new McpToolBox(new McpServers({}, { fetch }), definition.approval);

try {
  finish("agent", await measureAll());
} finally {
  await journal.close();
  endpoint.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(): Promise<Bar[]> {
  const plain: number[] = [];
  const ours: number[] = [];
  progress(`${rounds} answers of ${TOKENS} tokens each way`);
  const agent = newAgent();
  // Alternating, so that other load on the machine affects both equally.
  for (let n = -3; n < rounds; n++) {
    const [one, other] = [await timed(drain), await timed(() => ask(agent))];
    if (n < 0) continue; // warm-up: the first ones compile
    plain.push(one);
    ours.push(other);
  }
  const figures = { plainMs: round(median(plain)), agentMs: round(median(ours)) };
  const best = { plainMs: round(Math.min(...plain)), agentMs: round(Math.min(...ours)) };
  print({ tokens: TOKENS, ...figures, best, tokensPerSecond: Math.round(TOKENS / (median(ours) / 1_000)) });
  progress(`${AT_ONCE} agents at once`);
  await manyAtOnce();
  return [
    atMost(
      "agent's time for an answer, of draining the provider's stream",
      median(ours) / median(plain),
      1.5,
    ),
  ];
}

function newAgent(): TaskEngine {
  return new TaskEngine({ journal, executor: new AgentExecutor(() => ({ definition, model, toolBox })) });
}

async function drain(): Promise<void> {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
  const { stream } = await provider.doStream({ prompt });
  let characters = 0;
  for await (const part of stream) if (part.type === "text-delta") characters += part.delta.length;
  if (characters === 0) throw new Error("The endpoint said nothing");
}

async function ask(engine: TaskEngine): Promise<void> {
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "go" }] } as const;
  const accepted = await engine.accept({ message }, { owner: "bench", dialect: "1.0" });
  if (!("taskId" in accepted)) throw new Error("It answered without a task");
  const { status } = await engine.settled(accepted.taskId, accepted.from);
  if (status.state !== "TASK_STATE_COMPLETED") throw new Error(JSON.stringify(status));
}

async function manyAtOnce(): Promise<void> {
  const before = process.memoryUsage.rss();
  let most = before;
  const sample = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const milliseconds = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, () => ask(newAgent()))));
  clearInterval(sample);
  const megabytes = { before: round(before / 2 ** 20), most: round(most / 2 ** 20) };
  const rate = Math.round((AT_ONCE * TOKENS) / (milliseconds / 1_000));
  print({
    agents: AT_ONCE,
    tokens: TOKENS,
    milliseconds: Math.round(milliseconds),
    tokensPerSecond: rate,
    megabytes,
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
