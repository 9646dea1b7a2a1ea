import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "@parley/journal";
import { percentile, round } from "../report/bars.ts";

export interface FanOut {
  readonly readsPerFlush: number;
  /** Milliseconds from the writer's acknowledgement until a follower has the event. */
  readonly p50: number;
  readonly p99: number;
}

/** Many followers of one stream on `reader` while `writer` appends to it (the same journal, or another node's). */
export async function measureFanOut(
  writer: Journal,
  reader: Journal,
  { stream, followers, events }: { stream: string; followers: number; events: number },
): Promise<FanOut> {
  await writer.append(stream, ["start"], { urgent: true });
  const received = Array.from({ length: events + 2 }, (): number[] => []);
  const controller = new AbortController();
  const all = Array.from({ length: followers }, async () => {
    for await (const batch of reader.follow(stream, 1, controller.signal)) {
      const now = performance.now();
      for (const { index } of batch) received[index]?.push(now);
    }
  });
  await sleep(500);
  const before = reader.stats().reads;
  const flushesBefore = writer.stats().flushes;
  const acknowledged: number[] = [];
  for (let n = 0; n < events; n++) {
    acknowledged[await writer.append(stream, [{ n }], { urgent: true })] = performance.now();
    await sleep(5);
  }
  while (received.slice(2).some(({ length }) => length < followers)) await sleep(10);
  controller.abort();
  await Promise.all(all);
  const latencies = received.flatMap((times, index) =>
    times.map((time) => Math.max(0, time - (acknowledged[index] ?? time))),
  );
  return {
    readsPerFlush: (reader.stats().reads - before) / (writer.stats().flushes - flushesBefore),
    p50: round(percentile(latencies, 0.5)),
    p99: round(percentile(latencies, 0.99)),
  };
}
