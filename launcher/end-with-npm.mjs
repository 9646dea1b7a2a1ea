const checkEvery = 250;

/** Ends the launcher with SIGTERM once its npm is gone: npm forwards neither kill -9 nor SIGHUP. */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, checkEvery).unref();
}
