/** A signal that is aborted by Ctrl-C, so that what is half done can be cleared away first. */
export function interruption(): { readonly signal: AbortSignal; interrupt(): void } {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, interrupt);
  return { signal: controller.signal, interrupt };
}
