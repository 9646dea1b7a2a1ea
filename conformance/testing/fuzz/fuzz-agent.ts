import type { FuzzTarget, KnownTasks, Probe } from "./fuzz-target.ts";
import { V1_REQUESTS, V01_REQUESTS, V03_REQUESTS } from "./good-requests.ts";
import { GrpcExchange } from "./grpc-exchange.ts";
import { V1_GRPC_REQUESTS, V03_GRPC_REQUESTS } from "./grpc-requests.ts";
import { grpcTarget } from "./grpc-target.ts";
import { HttpExchange } from "./http-exchange.ts";
import { jsonRpcTarget } from "./json-rpc-target.ts";
import { Random } from "./random.ts";
import { V1_REST, V03_REST } from "./rest-forms.ts";
import { restTarget } from "./rest-target.ts";

const CONNECTIONS = 24;
/** So many requests are measured together: of one the processor's time is too little to be read. */
const BATCH = CONNECTIONS;
/** What a request may cost the agent in processor time, by its size; alone it may meet what else the agent has to do. */
const BUDGET = { ms: 3, msPerKilobyte: 0.2, aloneMs: 100 };
/** The maximum number of reported faults. */
const ENOUGH = 20;

/** A binding or dialect that is new is fuzzed by adding it here. */
const TARGETS: readonly FuzzTarget[] = [
  jsonRpcTarget("1.0", V1_REQUESTS),
  jsonRpcTarget("0.3", V03_REQUESTS),
  jsonRpcTarget("0.1", V01_REQUESTS),
  restTarget(V1_REST),
  restTarget(V03_REST),
  grpcTarget("1.0", V1_GRPC_REQUESTS),
  grpcTarget("0.3", V03_GRPC_REQUESTS),
];

/** Sends so many requests, most of them spoilt, to a conformance agent, and then good ones; returns what was wrong with the answers. */
export async function fuzzAgent(
  agent: { readonly url: string; readonly grpcPort: number; cpuMs(): number },
  { count, seed }: { count: number; seed: number },
): Promise<string[]> {
  const http = new HttpExchange(agent.url, CONNECTIONS);
  const grpc = new GrpcExchange(agent.grpcPort);
  const random = new Random(seed);
  const faults: string[] = [];
  const tasks = await makeTasks(http);
  const wires = { http, grpc };
  const note = (target: FuzzTarget, probe: Probe, fault: string | undefined) => {
    if (fault) faults.push(`${target.name}: ${fault}\n  to ${probe.shown()}`);
  };
  const ask = async (target: FuzzTarget, probe: Probe) =>
    note(target, probe, await probe.ask(wires).catch((error: Error) => `no answer: ${error.message}`));
  for (let sent = 0; sent < count && faults.length < ENOUGH; sent += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - sent) }, () => {
      const target = random.pick(TARGETS);
      return { target, probe: target.probe(tasks, random) };
    });
    const before = agent.cpuMs();
    const left = [...batch];
    const work = async () => {
      for (let next = left.pop(); next; next = left.pop()) await ask(next.target, next.probe);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    const allowed = batch.reduce((sum, { probe }) => sum + budgetOf(probe), 0);
    if (agent.cpuMs() - before <= allowed) continue;
    // Repeats each alone to find the culprit.
    for (const { target, probe } of batch) {
      const start = agent.cpuMs();
      // What is wrong with the answer was noted, and the second may be another one.
      await probe.ask(wires).catch(() => undefined);
      const ms = agent.cpuMs() - start;
      const isTooMuch = ms > BUDGET.aloneMs + budgetOf(probe);
      note(target, probe, isTooMuch ? `took ${ms} ms of processor time for ${probe.size} bytes` : undefined);
    }
  }
  for (const target of TARGETS) await ask(target, goodProbe(target, tasks));
  http.close();
  grpc.close();
  return faults;
}

/** Linear in the size: whatever costs more with each byte than the one before goes beyond it. */
function budgetOf({ size }: Probe): number {
  return BUDGET.ms + (BUDGET.msPerKilobyte * size) / 1_000;
}

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

function goodProbe(target: FuzzTarget, tasks: KnownTasks): Probe {
  const yes = new Random(0);
  yes.percent = () => true;
  return target.probe(tasks, yes);
}
