// npm run bench -- chain [--rounds N] [--profile FOLDER]: an answer through the supervisor beside the same one read
// from the sub-agent itself. Model, sub-agent, supervisor and client are processes of their own, on SQLite, over HTTP.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Chain, type Measured, type Way } from "./chain/chain.ts";
import type { Load } from "./chain/wording.ts";
import {
  atLeast,
  atMost,
  type Bar,
  finish,
  median,
  percentile,
  print,
  progress,
  round,
} from "./report/bars.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, profile: { type: "string" } },
});
const rounds = Math.max(1, Number(values.rounds) || 5);

const PACED: Load = { tokens: 500, pace: { waitMs: 200, perSecond: 100 } };
const SETTLE_MS = 1_000;
const UNPACED: Load = { tokens: 2_000 };

/** Ratios of the supervised path to the direct one. */
interface Ratios {
  readonly first: number;
  readonly total: number;
  readonly rate: number;
}

const chain = await Chain.start({ profile: values.profile });
try {
  finish("chain", await measureAll());
} finally {
  await chain.stop();
}

async function measureAll(): Promise<Bar[]> {
  progress("warming up");
  // Warm-up: late JIT compilation would be measured as latency.
  for (let n = 0; n < 25; n++)
    for (const way of ["direct", "supervised"] as const) await chain.read(way, { tokens: 100 }, 20);
  await pause(SETTLE_MS);
  await compare(PACED, 1);
  const twenty = await compare(PACED, 20);
  const hundred = await compare(PACED, 100);
  const alone = await compare(UNPACED, 1, rounds * 4);
  const unpaced = await compare(UNPACED, 20);
  return [
    atMost("total time of direct, 20 at once", twenty.total, 1.25),
    atMost("time to the first token of direct, 20 at once", twenty.first, 1.5),
    atMost("total time of direct, 100 at once", hundred.total, 1.5),
    atLeast("tokens per second of direct, unpaced, 1 at once", alone.rate, 0.4),
    atLeast("tokens per second of direct, unpaced, 20 at once", unpaced.rate, 0.4),
  ];
}

/** Alternates both paths, so that other load on the machine affects both equally. */
async function compare(load: Load, streams: number, times = rounds): Promise<Ratios> {
  const measured: Record<Way, Measured[]> = { direct: [], supervised: [] };
  for (let n = 0; n < times; n++) {
    progress(`${streams} × ${load.tokens} tokens${load.pace ? "" : ", unpaced"}: round ${n + 1} of ${times}`);
    const ways: Way[] = ["direct", "supervised"];
    for (const way of n % 2 === 0 ? ways : ways.reverse()) {
      measured[way].push(await chain.read(way, load, streams));
      // Recording one answer must not slow the next.
      await pause(SETTLE_MS);
    }
  }
  const direct = figures(measured.direct, load);
  const supervised = figures(measured.supervised, load);
  const ratios = {
    first: supervised.firstMs.median / direct.firstMs.median,
    total: supervised.totalMs.median / direct.totalMs.median,
    rate: supervised.tokensPerSecond / direct.tokensPerSecond,
  };
  const { agent, supervisor } = chain.hops;
  const megabytes = { agent: rounded(agent.megabytes), supervisor: rounded(supervisor.megabytes) };
  const of = { streams, tokens: load.tokens, pace: load.pace ?? "none" };
  print({ ...of, direct, supervised, ratios: rounded(ratios), megabytes });
  return ratios;
}

function figures(runs: readonly Measured[], { tokens }: Load) {
  const streams = runs.flatMap((run) => run.streams);
  const spread = (all: readonly number[]) =>
    rounded({ median: median(all), percentile95: percentile(all, 0.95) });
  const rates = runs.map(
    (run) => (run.streams.length * tokens) / (Math.max(...run.streams.map(({ total }) => total)) / 1_000),
  );
  const cpu = (name: keyof Measured["cpu"]) => median(runs.map((run) => run.cpu[name]));
  return {
    firstMs: spread(streams.map(({ first }) => first)),
    totalMs: spread(streams.map(({ total }) => total)),
    tokensPerSecond: Math.round(median(rates)),
    bytesPerToken: round(median(streams.map(({ bytes }) => bytes)) / tokens),
    cpuMicrosecondsPerToken: rounded({
      model: cpu("model"),
      agent: cpu("agent"),
      supervisor: cpu("supervisor"),
      client: cpu("client"),
    }),
  };
}

function rounded<Names extends string>(figure: Readonly<Record<Names, number>>): Record<Names, number> {
  const entries = Object.entries<number>(figure).map(([name, value]) => [name, round(value)]);
  return Object.fromEntries(entries) as Record<Names, number>;
}
