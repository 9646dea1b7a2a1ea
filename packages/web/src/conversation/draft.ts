import { type Accessor, createEffect, on } from "solid-js";
import { useParley } from "../app/parley.ts";
import { keepBag, loadBag } from "../app/session-bag.ts";

/** Keeps what is being written under a key, and brings it back. */
export function createDraft(
  key: Accessor<string>,
  text: Accessor<string>,
  setText: (text: string) => void,
): void {
  const parley = useParley();
  createEffect(
    on(key, async (of) => {
      const { draft } = await loadBag(parley, of);
      // What was written meanwhile is newer.
      if (draft !== undefined && text() === "" && key() === of) setText(draft);
    }),
  );
  createEffect(
    on(text, (draft) => keepBag(parley, key(), draft === "" ? {} : { draft }), {
      defer: true,
    }),
  );
}
