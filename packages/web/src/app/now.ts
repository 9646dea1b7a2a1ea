import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";

/** The current time, updated every second while it is wanted. */
export function createNow(isWanted: Accessor<boolean>): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  createEffect(() => {
    if (!isWanted()) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    onCleanup(() => clearInterval(timer));
  });
  return now;
}
