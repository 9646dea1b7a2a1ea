const CHECK_PARENT_EVERY_MS = 500;

/**
 * Resolves when this process should end: Ctrl-C, SIGTERM, SIGHUP, or the death of the process that started it
 * (a launcher killed with -9 would otherwise leave us behind with its port). Later signals are ignored:
 * one Ctrl-C reaches us several times, from the terminal and through each process above.
 */
export function stopRequested(): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, CHECK_PARENT_EVERY_MS).unref();
  });
}
