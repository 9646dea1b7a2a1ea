/** A signal that SIGINT (Ctrl-C) or SIGTERM aborts, until it is disposed of. */
export function untilInterrupted(): Disposable & { readonly signal: AbortSignal; interrupt(): void } {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, interrupt);
    },
  };
}
