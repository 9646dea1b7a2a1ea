/**
 * How many times the CPU time grows when there is ten times the work: about 10 where each item costs the same, about 100
 * where each costs as much as there are items. The least of some tries, so that what else the machine does hardly counts.
 */
export async function cpuGrowth(work: (items: number) => unknown, items: number, tries = 4): Promise<number> {
  const cpu = async (count: number, times: number) => {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++) await work(count);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / times;
  };
  await work(items * 10);
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < tries; attempt++) {
    // As long as the large one, so that neither is too short to be measured.
    small = Math.min(small, await cpu(items, 10));
    large = Math.min(large, await cpu(items * 10, 1));
  }
  return large / small;
}
