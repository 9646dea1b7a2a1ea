import { createEffect, createMemo, createSignal, onCleanup, Show } from "solid-js";
import { connectionText } from "./connection-text.ts";
import { createNow } from "./now.ts";
import { useParley } from "./parley.ts";
import { t } from "./strings/language.ts";

/** A connection that is back at once is not worth a word. */
const PATIENCE_MS = 700;

/** Says so when the server is out of reach, and what waits for it. */
export function ConnectionLine() {
  const { state, nextTry } = useParley();
  const isLive = createMemo(() => state().connection === "live");
  const [isWorthAWord, setWorth] = createSignal(false);
  createEffect(() => {
    if (isLive()) return setWorth(false);
    const timer = setTimeout(() => setWorth(true), PATIENCE_MS);
    onCleanup(() => clearTimeout(timer));
  });
  const now = createNow(() => !isLive());
  const text = () => connectionText({ state: state(), nextTry: nextTry(), now: now() }, t().connection);
  return (
    <div role="status" class="connection-region">
      <Show when={isWorthAWord() && text()}>{(words) => <p class="connection-line">{words()}</p>}</Show>
    </div>
  );
}
