import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chain } from "../chain/chain.ts";
import { Hop } from "../chain/hop.ts";
import { atMost, type Bar, median, percentile, print, progress, round } from "../report/bars.ts";
import { longSession } from "./long-session.ts";

const ADDRESS = /http:\/\/localhost:\d+/;
const EVENTS = 10_000;
const READINGS = 20;

/** A session of 10,000 events, whole and by `events_since`, beside the same rows read raw. */
export async function restoring({ url }: Chain): Promise<Bar[]> {
  progress(`a session of ${EVENTS} events`);
  const content = longSession(EVENTS / 100)
    .map((event) => JSON.stringify(event))
    .join("\n");
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ content });
  const imported = await fetch(`${url}/api/v1/sessions/import`, { method: "POST", headers, body });
  const { session } = (await imported.json()) as { session: { id: string } };
  const address = `${url}/api/v1/sessions/${session.id}`;
  const { events } = (await (await fetch(address)).json()) as { events: object[] };
  if (events.length !== EVENTS + 1) throw new Error(`It has ${events.length} events`);
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
  const file = join(folder, "events.json");
  writeFileSync(file, JSON.stringify(events));
  const raw = new Hop({ program: "sessions/raw-rows.ts", args: [file, join(folder, "raw.db")] });
  try {
    const rows = await raw.said(ADDRESS);
    const since = `?events_since=${EVENTS / 2}`;
    const full = await compare("full", address, rows);
    const half = await compare("events_since", address + since, `${rows}/${since}`);
    return [
      atMost(`a session of ${EVENTS} events restored, of its rows raw`, full, 3),
      atMost("its second half by events_since, of its rows raw", half, 3),
    ];
  } finally {
    await raw.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Alternates both; returns how many times longer the first takes. */
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

/** Milliseconds until the whole response has arrived. */
export async function timeOf(address: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(address);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return performance.now() - began;
}
