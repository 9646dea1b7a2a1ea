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
/** An answer that comes later is looked into: no request may cost the agent more processor time than that. */
const SLOW_MS = 1_000;
/** So many faults tell enough. */
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
  let left = count;
  const tasks = await makeTasks(http);
  const wires = { http, grpc };
  const slow: { readonly target: FuzzTarget; readonly probe: Probe }[] = [];
  const note = (target: FuzzTarget, probe: Probe, fault: string | undefined) => {
    if (fault) faults.push(`${target.name}: ${fault}\n  to ${probe.shown()}`);
  };
  const ask = async (target: FuzzTarget, probe: Probe) => {
    const { ms, fault } = await probe
      .ask(wires)
      .catch((error: Error) => ({ ms: 0, fault: `no answer: ${error.message}` }));
    note(target, probe, fault);
    if (ms >= SLOW_MS) slow.push({ target, probe });
  };
  const work = async () => {
    while (left-- > 0 && faults.length < ENOUGH) {
      const target = random.pick(TARGETS);
      await ask(target, target.probe(tasks, random));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  // On a busy machine anything may take long; what is slow by its nature keeps the agent's processor busy, also alone.
  for (const { target, probe } of slow) {
    const before = agent.cpuMs();
    await probe.ask(wires).catch(() => undefined);
    const ms = agent.cpuMs() - before;
    note(target, probe, ms < SLOW_MS ? undefined : `took ${ms} ms of processor time`);
  }
  for (const target of TARGETS) await ask(target, goodProbe(target, tasks));
  http.close();
  grpc.close();
  return faults;
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
