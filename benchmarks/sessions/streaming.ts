import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Chain } from "../chain/chain.ts";
import { Hop } from "../chain/hop.ts";
import { AGENT } from "../chain/wording.ts";
import { atLeast, type Bar, median, print, progress, round } from "../report/bars.ts";
import type { Begun, Taken } from "./session-client.ts";

const ADDRESS = /http:\/\/localhost:\d+/;
/** Concurrent runs, and the tokens of each. */
const LOADS = [
  [1, 5_000],
  [50, 1_000],
  [200, 250],
] as const;

/** Tokens a second from the agent, through supervisor and record, to clients of the event stream. */
export async function streaming({ url, hops }: Chain, rounds: number): Promise<Bar[]> {
  const client = new Hop({ program: "sessions/session-client.ts" });
  const ceiling = new Hop({ program: "a2a-stream/ceiling-server.ts" });
  try {
    const raw = await ceiling.said(ADDRESS);
    const ratios = new Map<number, number>();
    for (let n = 0; n < 3; n++) await rate(client, { url, load: { tokens: 200 }, runs: 20 });
    for (const [runs, tokens] of LOADS) {
      const rates = { supervised: [] as number[], agent: [] as number[], ceiling: [] as number[] };
      const before = { supervisor: hops.supervisor.cpu, agent: hops.agent.cpu };
      for (let n = 0; n < rounds; n++) {
        progress(`${runs} runs of ${tokens} tokens: round ${n + 1} of ${rounds}`);
        rates.supervised.push(await rate(client, { url, load: { tokens }, runs }));
        rates.agent.push(await rate(client, { url, load: { tokens }, runs, agent: AGENT }));
        rates.ceiling.push(ceilingRate(raw, runs, tokens));
      }
      const { supervised, agent, ceiling: most } = rates;
      const ratio = median(supervised) / median(most);
      ratios.set(runs, ratio);
      const perToken = (name: keyof typeof before) =>
        round((hops[name].cpu - before[name]) / (2 * rounds * runs * tokens));
      print({
        ...{ runs, tokens, ratio: round(ratio), ratioOfAgentAlone: round(median(agent) / median(most)) },
        tokensPerSecond: {
          supervised: round(median(supervised)),
          agentAlone: round(median(agent)),
          ceiling: round(median(most)),
        },
        cpuMicrosecondsPerToken: { platform: perToken("supervisor"), agent: perToken("agent") },
      });
    }
    const name = "events/s to SSE clients of the raw SSE ceiling, 50 runs";
    return [atLeast(name, ratios.get(50) ?? 0, 0.25)];
  } finally {
    await client.stop();
    await ceiling.stop();
  }
}

/** Tokens per second; events would undercount, because waiting chunks are coalesced. */
async function rate(client: Hop, begun: Begun): Promise<number> {
  const { milliseconds } = await client.ask<Taken>(begun);
  return (begun.runs * begun.load.tokens) / (milliseconds / 1_000);
}

function ceilingRate(raw: string, streams: number, chunks: number): number {
  const program = fileURLToPath(new URL("../a2a-stream/client.ts", import.meta.url));
  const printed = execFileSync(process.execPath, [program, raw, String(streams), String(chunks)]);
  const { frames, milliseconds } = JSON.parse(printed.toString()) as { frames: number; milliseconds: number };
  return frames / (milliseconds / 1_000);
}
