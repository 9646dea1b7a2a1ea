import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Journal } from "@parley/journal";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Heap per stream that was written once and has no follower. */
export async function bytesPerIdleStream(journal: Journal, streams: number): Promise<number> {
  await journal.append("warm-up", ["x"]);
  const before = heapUsed();
  for (let start = 0; start < streams; start += 1_000) {
    const names = Array.from({ length: 1_000 }, (_, n) => `idle-${start + n}`);
    await Promise.all(names.map((name) => journal.append(name, ["x"])));
  }
  return (heapUsed() - before) / streams;
}

function heapUsed(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
