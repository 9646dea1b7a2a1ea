/** Tells of Ctrl-C, or of another wish that this process end, by a signal; to be disposed of. */
export function untilInterrupted(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  process.on("SIGINT", abort);
  process.on("SIGTERM", abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off("SIGINT", abort);
      process.off("SIGTERM", abort);
    },
  };
}
