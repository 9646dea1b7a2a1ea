/** The processor time that this thread has used so far, in milliseconds: what runs beside it does not add to it. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
