import { cpuTime } from "./cpu-time.ts";

/** Shorter work is repeated for so long: a thread's clock ticks in steps, and compilers and collectors come in between. */
const LEAST_MS = 20;

/**
 * How many times the CPU time of this thread grows when there is ten times the work: about 10 where each item costs the
 * same, about 100 where each costs as much as there are items. The least of some tries, so that what else the machine does
 * hardly counts.
 */
export async function cpuGrowth(work: (items: number) => unknown, items: number, tries = 4): Promise<number> {
  const cpu = async (count: number) => {
    const before = cpuTime();
    let times = 0;
    do {
      await work(count);
      times++;
    } while (cpuTime() - before < LEAST_MS || times < (count === items ? 10 : 1));
    return (cpuTime() - before) / times;
  };
  await work(items * 10);
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < tries; attempt++) {
    small = Math.min(small, await cpu(items));
    large = Math.min(large, await cpu(items * 10));
  }
  return large / small;
}
