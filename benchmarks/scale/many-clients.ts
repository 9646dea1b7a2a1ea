import { Hop } from "../chain/hop.ts";
import { atMost, type Bar, print, progress, round } from "../report/bars.ts";
import { timeOf } from "../sessions/restoring.ts";
import type { Delays } from "../sessions/watchers.ts";
import { Cluster, coresUsed } from "./cluster.ts";

const CLIENTS = 5_000;
const RUNS = 200;
const REQUESTS = 5_000;
/** Each run has two events a second and 25 watchers, so that 10,000 deliveries a second are asked of the two nodes; all begin at once, which is the worst moment. */
const LOAD = { tokens: 40, pace: { waitMs: 0, perSecond: 2 } };

/** Many clients of many live runs, on two nodes: memory per client, and the delay from commit to delivery. */
export async function manyClients(postgresUrl: string): Promise<Bar[]> {
  const cluster = await Cluster.start(postgresUrl, 2);
  const watchers = cluster.nodes.map(() => new Hop({ program: "sessions/watchers.ts" }));
  const all = <Reply>(order: object) => Promise.all(watchers.map((hop) => hop.ask<Reply>(order)));
  const [sessions, clients] = [RUNS / watchers.length, CLIENTS / watchers.length];
  try {
    progress(`${CLIENTS} clients of ${RUNS} sessions on ${watchers.length} nodes`);
    await Promise.all(
      watchers.map((hop, place) => hop.ask({ url: cluster.urls[place], sessions, open: sessions })),
    );
    // Warmed-up heaps: memory of the first requests stays, however many clients connect.
    for (let n = 0; n < REQUESTS; n++)
      await timeOf(`${cluster.urls[n % watchers.length]}/api/v1/sessions?limit=20`);
    const before = await memory(cluster);
    await all({ open: clients - sessions });
    const each = ((await memory(cluster)) - before) / (CLIENTS - RUNS);
    progress("and now all of them speak");
    const [usage, began] = [cluster.cpu(), performance.now()];
    const cpuBefore = watchers.reduce((sum, { cpu }) => sum + cpu, 0);
    const seconds: ReturnType<typeof coresUsed>[] = [];
    let last = { usage, at: began };
    const sampling = setInterval(() => {
      const now = { usage: cluster.cpu(), at: performance.now() };
      seconds.push(coresUsed(last.usage, now.usage, 0, now.at - last.at));
      last = now;
    }, 1_000);
    const delays = await all<Delays>({ speak: LOAD });
    clearInterval(sampling);
    const client = watchers.reduce((sum, { cpu }) => sum + cpu, 0) - cpuBefore;
    const milliseconds = performance.now() - began;
    const deliveries = delays.reduce((sum, part) => sum + part.deliveries, 0);
    const p50 = Math.max(...delays.map((part) => part.p50));
    const p99 = Math.max(...delays.map((part) => part.p99));
    print({
      ...{ clients: CLIENTS, runs: RUNS, kilobytesEach: round(each), deliveries, p50, p99 },
      // Both nodes start 100 runs in the first seconds and only stream afterwards: shows which part is busy when delays are long.
      coresBySecond: {
        nodes: seconds.map(({ nodes }) => nodes),
        agent: seconds.map(({ agent }) => agent),
        all: seconds.map((second) => second.all),
      },
      p99BySecond: delays.map((part) => part.p99BySecond),
      deliveriesPerSecond: round(deliveries / (milliseconds / 1_000)),
      cores: coresUsed(usage, cluster.cpu(), client, milliseconds),
    });
    return [
      atMost(`kilobytes of memory per SSE client, ${CLIENTS} on ${RUNS} live runs`, each, 25),
      atMost(`milliseconds from commit to client, p99, ${CLIENTS} clients on 2 nodes`, p99, 1_000),
    ];
  } finally {
    for (const hop of watchers) await hop.stop();
    await cluster.stop();
  }
}

/** Memory of all nodes in kilobytes, after garbage collection. */
async function memory({ nodes }: Cluster): Promise<number> {
  const each = await Promise.all(nodes.map((node) => node.collected()));
  return each.reduce((sum, kilobytes) => sum + kilobytes, 0);
}
