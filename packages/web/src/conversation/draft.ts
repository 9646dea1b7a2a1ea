import { type Accessor, createEffect, on } from "solid-js";
import { useParley } from "../app/parley.ts";
import { changeBag, loadBag } from "../app/session-bag.ts";
import { cacheName } from "../people/who.ts";

/**
 * Keeps what is being written under a key, and brings it back. It is in the tab's own storage too, which is written at once:
 * the cache takes a moment, and a page that is reloaded does not have one.
 */
export function createDraft(
  key: Accessor<string>,
  text: Accessor<string>,
  setText: (text: string) => void,
): void {
  const { engine, me } = useParley();
  const inTab = (of: string) => `draft ${cacheName(me)} ${of}`;
  createEffect(
    on(key, async (of) => {
      const kept = await loadBag(engine, of);
      const draft = sessionStorage.getItem(inTab(of)) ?? kept.draft;
      // What was written meanwhile is newer.
      if (draft && text() === "" && key() === of) setText(draft);
    }),
  );
  createEffect(
    on(
      text,
      (draft) => {
        // Also when it is empty: then what the cache still has was sent or deleted.
        sessionStorage.setItem(inTab(key()), draft);
        changeBag(engine, key(), { draft: draft || undefined });
      },
      { defer: true },
    ),
  );
}
