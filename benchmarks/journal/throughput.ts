import type { Journal } from "@parley/journal";
import type { RawInserter, RawRow } from "./raw-limits.ts";

/** Concurrent appends, whatever the number of streams: agents do not wait for each token. */
const APPENDS_IN_FLIGHT = 2_048;
const SMALLEST_RAW_BATCH = 100;

/** A token as an agent streams it. */
function tokenEvent(n: number): object {
  return {
    type: "agent_token",
    runId: "run_01JD7W6V0S8Q2M4T5X9Z3B1C7K",
    artifactId: "streaming_result",
    append: true,
    text: ` token ${n % 1_000}`,
  };
}

export interface Throughput {
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly eventsPerFlush: number;
}

/** Appends one event per call to the streams in turn for this many seconds. */
export async function measureJournal(
  journal: Journal,
  streams: number,
  seconds: number,
): Promise<Throughput> {
  const before = journal.stats();
  const start = performance.now();
  const end = start + seconds * 1_000;
  const names = Array.from({ length: streams }, (_, n) => `stream-${n}`);
  let sent = 0;
  const keepAppending = async () => {
    while (performance.now() < end) {
      const n = sent++;
      await journal.append(names[n % streams] ?? "", [tokenEvent(n)]);
    }
  };
  await Promise.all(Array.from({ length: APPENDS_IN_FLIGHT }, keepAppending));
  const elapsed = (performance.now() - start) / 1_000;
  const flushes = journal.stats().flushes - before.flushes;
  return { events: sent, eventsPerSecond: sent / elapsed, eventsPerFlush: sent / flushes };
}

/** Inserts prepared rows in batches of our mean flush size for this many seconds. */
export async function measureRaw(
  raw: RawInserter,
  { streams, seconds, batch }: { streams: number; seconds: number; batch: number },
): Promise<number> {
  const rows = Math.max(SMALLEST_RAW_BATCH, Math.round(batch));
  const bodies = Array.from({ length: 1_000 }, (_, n) => JSON.stringify(tokenEvent(n)));
  const start = performance.now();
  let sent = 0;
  const nextRow = (): RawRow => {
    const n = sent++;
    return {
      stream: n % streams,
      index: Math.floor(n / streams) + 1,
      at: Date.now(),
      body: bodies[n % 1_000] ?? "",
    };
  };
  while (performance.now() < start + seconds * 1_000) {
    await raw.insert(Array.from({ length: rows }, nextRow));
  }
  return sent / ((performance.now() - start) / 1_000);
}
