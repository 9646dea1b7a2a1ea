import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";

/** The time, which goes on once a second while somebody wants it to. */
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
