// npm run bench -- sessions [--rounds N] [--profile FOLDER]: restoring a session of 10,000 events beside reading the same rows raw; events
// from a model through an agent, the supervisor and the record to clients of the event stream, beside the raw SSE
// ceiling. Each part is a process of its own, on SQLite, over HTTP.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Chain } from "./chain/chain.ts";
import { Hop } from "./chain/hop.ts";
import { AGENT } from "./chain/wording.ts";
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
import { longSession } from "./sessions/long-session.ts";
import type { Begun, Taken } from "./sessions/session-client.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, profile: { type: "string" } },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const ADDRESS = /http:\/\/localhost:\d+/;
const EVENTS = 10_000;
const READINGS = 20;

const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
const chain = await Chain.start({ profile: values.profile });
const { url } = chain;
try {
  finish("sessions", [...(await restore()), ...(await stream())]);
} finally {
  await chain.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function restore(): Promise<Bar[]> {
  progress(`a session of ${EVENTS} events`);
  const content = longSession(EVENTS / 100)
    .map((event) => JSON.stringify(event))
    .join("\n");
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ content });
  const imported = await fetch(`${url}/api/v1/sessions/import`, { method: "POST", headers, body });
  const { session } = (await imported.json()) as { session: { id: string } };
  const reading = (await (await fetch(`${url}/api/v1/sessions/${session.id}`)).json()) as {
    events: object[];
  };
  if (reading.events.length !== EVENTS + 1) throw new Error(`It has ${reading.events.length} events`);
  writeFileSync(join(folder, "events.json"), JSON.stringify(reading.events));
  const raw = new Hop({
    program: "sessions/raw-rows.ts",
    args: [join(folder, "events.json"), join(folder, "raw.db")],
  });
  try {
    const rows = await raw.said(ADDRESS);
    const full = await compare("full", `${url}/api/v1/sessions/${session.id}`, rows);
    const since = `?events_since=${EVENTS / 2}`;
    const half = await compare(
      "events_since",
      `${url}/api/v1/sessions/${session.id}${since}`,
      `${rows}/${since}`,
    );
    return [
      atMost(`a session of ${EVENTS} events restored, of its rows raw`, full, 3),
      atMost("its second half by events_since, of its rows raw", half, 3),
    ];
  } finally {
    await raw.stop();
  }
}

/** Both in turns; returns how many times longer the first takes. */
async function compare(restored: string, ours: string, raw: string): Promise<number> {
  const times = { ours: [] as number[], raw: [] as number[] };
  for (let n = 0; n < READINGS; n++) {
    times.ours.push(await timeOf(ours));
    times.raw.push(await timeOf(raw));
  }
  // The first ones warm up.
  const [mine, theirs] = [times.ours.slice(5), times.raw.slice(5)];
  const spread = (all: readonly number[]) => ({
    median: round(median(all)),
    percentile95: round(percentile(all, 0.95)),
  });
  print({ restored, milliseconds: spread(mine), rawMilliseconds: spread(theirs) });
  return median(mine) / median(theirs);
}

async function timeOf(address: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(address);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return performance.now() - began;
}

async function stream(): Promise<Bar[]> {
  const client = new Hop({ program: "sessions/session-client.ts" });
  const ceiling = new Hop({ program: "a2a-stream/ceiling-server.ts" });
  try {
    const raw = await ceiling.said(ADDRESS);
    const ratios = new Map<number, number>();
    await rate(client, { url, load: { tokens: 200 }, runs: 5 });
    for (const [runs, tokens] of [
      [1, 5_000],
      [50, 1_000],
    ] as const) {
      const rates = { supervised: [] as number[], agent: [] as number[], ceiling: [] as number[] };
      for (let n = 0; n < rounds; n++) {
        progress(`${runs} runs of ${tokens} tokens: round ${n + 1} of ${rounds}`);
        rates.supervised.push(await rate(client, { url, load: { tokens }, runs }));
        rates.agent.push(await rate(client, { url, load: { tokens }, runs, agent: AGENT }));
        rates.ceiling.push(ceilingRate(raw, runs, tokens));
      }
      const [supervised, agent, most] = [
        median(rates.supervised),
        median(rates.agent),
        median(rates.ceiling),
      ];
      ratios.set(runs, supervised / most);
      const tokensPerSecond = {
        supervised: round(supervised),
        agentAlone: round(agent),
        ceiling: round(most),
      };
      print({
        runs,
        tokens,
        tokensPerSecond,
        ratio: round(supervised / most),
        ratioOfAgentAlone: round(agent / most),
      });
    }
    return [atLeast("events/s to SSE clients of the raw SSE ceiling, 50 runs", ratios.get(50) ?? 0, 0.25)];
  } finally {
    await client.stop();
    await ceiling.stop();
  }
}

/** Tokens a second: pieces that wait together are one event, so events would flatter nobody. */
async function rate(client: Hop, begun: Begun): Promise<number> {
  const { milliseconds } = await client.ask<Taken>(begun);
  return (begun.runs * begun.load.tokens) / (milliseconds / 1_000);
}

function ceilingRate(raw: string, streams: number, chunks: number): number {
  const program = fileURLToPath(new URL("a2a-stream/client.ts", import.meta.url));
  const printed = execFileSync(process.execPath, [program, raw, String(streams), String(chunks)]);
  const { frames, milliseconds } = JSON.parse(printed.toString()) as { frames: number; milliseconds: number };
  return frames / (milliseconds / 1_000);
}
