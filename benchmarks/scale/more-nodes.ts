import { Hop } from "../chain/hop.ts";
import { AGENT } from "../chain/wording.ts";
import { atLeast, type Bar, median, print, progress, round } from "../report/bars.ts";
import type { Begun, Taken } from "../sessions/session-client.ts";
import { Cluster, coresUsed } from "./cluster.ts";

const RUNS = 50;
const TOKENS = 1_000;

/** Tokens a second from an agent through the record to clients, with one node and with two, in turns. */
export async function moreNodes(postgresUrl: string, rounds: number): Promise<Bar[]> {
  const clusters = [await Cluster.start(postgresUrl, 1), await Cluster.start(postgresUrl, 2)];
  const clients = [0, 1].map(() => new Hop({ program: "sessions/session-client.ts" }));
  try {
    const rates = clusters.map((): number[] => []);
    for (const cluster of clusters) for (let n = 0; n < 2; n++) await spoken(cluster, clients, 20, 200);
    for (let n = 0; n < rounds; n++) {
      for (const [place, cluster] of clusters.entries()) {
        progress(`${RUNS} runs on ${cluster.nodes.length} node(s): round ${n + 1} of ${rounds}`);
        rates[place]?.push(await spoken(cluster, clients, RUNS, TOKENS));
      }
    }
    const [one = 0, two = 0] = rates.map(median);
    print({ runs: RUNS, tokens: TOKENS, tokensPerSecond: { oneNode: round(one), twoNodes: round(two) } });
    return [
      atLeast("tokens/s with 2 nodes of those with 1, on one Postgres and one machine", two / one, 0.8),
    ];
  } finally {
    for (const hop of clients) await hop.stop();
    for (const cluster of clusters) await cluster.stop();
  }
}

/** Spreads the runs evenly over the nodes; returns tokens per second. */
async function spoken(cluster: Cluster, clients: readonly Hop[], runs: number, tokens: number) {
  const { urls } = cluster;
  const before = cluster.cpu();
  const clientsBefore = clients.reduce((sum, { cpu }) => sum + cpu, 0);
  const began = performance.now();
  const taken = await Promise.all(
    urls.map((url, place) => {
      const begun: Begun = { url, load: { tokens }, runs: runs / urls.length, agent: AGENT };
      return clients[place]?.ask<Taken>(begun);
    }),
  );
  const milliseconds = performance.now() - began;
  const client = clients.reduce((sum, { cpu }) => sum + cpu, 0) - clientsBefore;
  const events = taken.reduce((sum, part) => sum + (part?.events ?? 0), 0);
  const slowest = Math.max(...taken.map((part) => part?.milliseconds ?? 0));
  print({
    ...{ nodes: urls.length, runs, tokens, eventsPerSecond: round(events / (slowest / 1_000)) },
    cores: coresUsed(before, cluster.cpu(), client, milliseconds),
  });
  return (runs * tokens) / (slowest / 1_000);
}
