/** The processor time that this thread has used so far, in milliseconds: what runs beside it does not add to it. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The most processor time, in milliseconds, that this thread spent in one turn of the event loop while the work was done. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = cpuTime();
  const look = () => {
    const now = cpuTime();
    longest = Math.max(longest, now - before);
    before = now;
  };
  let next: NodeJS.Immediate;
  const tick = () => {
    look();
    next = setImmediate(tick);
  };
  next = setImmediate(tick);
  try {
    await work();
    look();
  } finally {
    clearImmediate(next);
  }
  return longest;
}
