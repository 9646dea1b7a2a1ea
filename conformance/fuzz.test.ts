import { expect, it, onTestFinished } from "vitest";
import { startAgentProcess } from "./testing/agent-process.ts";
import type { FuzzTarget, KnownTasks, Probe } from "./testing/fuzz/fuzz-target.ts";
import { V1_REQUESTS, V01_REQUESTS, V03_REQUESTS } from "./testing/fuzz/good-requests.ts";
import { HttpExchange } from "./testing/fuzz/http-exchange.ts";
import { jsonRpcTarget } from "./testing/fuzz/json-rpc-target.ts";
import { Random } from "./testing/fuzz/random.ts";
import { restTarget } from "./testing/fuzz/rest-target.ts";

const COUNT = Number(process.env.PARLEY_FUZZ ?? 20_000);
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
const CONNECTIONS = 24;
/** No request may take longer. */
const SLOW_MS = 1_000;
/** A request that turns out good makes a task, which the journal in memory keeps. */
const TASK_MB = 0.01;

/** A binding or dialect that is new is fuzzed by adding it here. */
const TARGETS: readonly FuzzTarget[] = [
  jsonRpcTarget("1.0", V1_REQUESTS),
  jsonRpcTarget("0.3", V03_REQUESTS),
  jsonRpcTarget("0.1", V01_REQUESTS),
  restTarget("/a2a/rest"),
];

/** One completed task and one that waits for input. */
async function makeTasks(http: HttpExchange): Promise<KnownTasks> {
  const make = async (messageId: string) => {
    const message = { messageId, role: "ROLE_USER", parts: [{ text: "x" }] };
    const body = Buffer.from(JSON.stringify({ message }));
    const headers = { "content-type": "application/json" };
    const { text } = await http.ask({ method: "POST", path: "/a2a/rest/message:send", headers, body });
    return JSON.parse(text).task.id as string;
  };
  return { completed: await make("tck-complete-task"), waiting: await make("tck-input-required") };
}

/** What is wrong with the answer to a probe. One that took long is repeated alone: on a busy machine anything may take long once. */
async function faultOf(http: HttpExchange, { question, judge }: Probe): Promise<string | undefined> {
  const answer = await http.ask(question);
  const fault = judge(answer);
  if (fault || answer.ms < SLOW_MS) return fault;
  const again = [await http.ask(question), await http.ask(question), await http.ask(question)];
  const quickest = Math.min(...again.map(({ ms }) => ms));
  return quickest < SLOW_MS ? undefined : `took ${Math.round(quickest)} ms`;
}

it(`${COUNT} bad requests: no crash, no internal error, none slow, every answer in its dialect (seed ${SEED})`, {
  timeout: 30_000 + COUNT * 5,
}, async () => {
  const agent = await startAgentProcess();
  onTestFinished(() => agent.kill());
  const http = new HttpExchange(agent.url, CONNECTIONS);
  onTestFinished(() => http.close());
  const tasks = await makeTasks(http);
  const random = new Random(SEED);
  const faults: string[] = [];
  let left = COUNT;
  const worker = async () => {
    while (left > 0 && faults.length < 20) {
      left--;
      const target = random.pick(TARGETS);
      const probe = target.probe(tasks, random);
      const fault = await faultOf(http, probe).catch((error: Error) => `no answer: ${error.message}`);
      if (fault) faults.push(`${target.name}: ${fault}\n  to ${shown(probe)}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  expect(faults, `PARLEY_SEED=${SEED} repeats this`).toEqual([]);
  expect(agent.complaints()).toBe("");
  expect(agent.residentMb()).toBeLessThan(300 + COUNT * TASK_MB);
  const [good] = await Promise.all(
    TARGETS.map((target) => goodProbe(target, tasks)).map((probe) => faultOf(http, probe)),
  );
  expect(good).toBeUndefined();
});

/** A probe that is good, which the target makes now and then. */
function goodProbe(target: FuzzTarget, tasks: KnownTasks): Probe {
  const always = new Random(0);
  always.percent = () => true;
  return target.probe(tasks, always);
}

function shown({ question: { method, path, headers, body } }: Probe): string {
  return `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body?.toString("latin1").slice(0, 600))}`;
}
