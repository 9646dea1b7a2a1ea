import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";

/** Data from the server: the last value, and why the last read failed. */
export interface Loaded<Value> {
  readonly value: Accessor<Value | undefined>;
  readonly failure: Accessor<string | undefined>;
  reload(): Promise<void>;
}

/** Loads data when the component is mounted, and again every `everyMs` while the page is visible. */
export function createLoaded<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  { everyMs }: { readonly everyMs?: number } = {},
): Loaded<Value> {
  const [value, setValue] = createSignal<Value>();
  const [failure, setFailure] = createSignal<string>();
  let reading = new AbortController();
  const reload = async () => {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    try {
      const found = await read(signal);
      if (signal.aborted) return;
      // What is the same as before is not drawn anew, so that what is open there stays open.
      if (JSON.stringify(found) !== JSON.stringify(value())) setValue(() => found);
      setFailure(undefined);
    } catch (error) {
      if (!signal.aborted) setFailure(reasonOf(error));
    }
  };
  onMount(() => void reload());
  if (everyMs !== undefined) {
    const timer = setInterval(() => document.visibilityState === "visible" && void reload(), everyMs);
    onCleanup(() => clearInterval(timer));
  }
  onCleanup(() => reading.abort());
  return { value, failure, reload };
}

/** An error's message for the user. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Tracks whether something started by the user is still running, and why it failed. */
export function createWork() {
  const [isBusy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  return {
    isBusy,
    failure,
    /** Runs it and resolves to whether it succeeded. */
    async run(work: () => Promise<unknown>) {
      setBusy(true);
      setFailure(undefined);
      try {
        await work();
        return true;
      } catch (error) {
        setFailure(reasonOf(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
