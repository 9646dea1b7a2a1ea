import { type Accessor, createEffect, on, onCleanup } from "solid-js";
import { useParley } from "../app/parley.ts";

const KEEP_AFTER_MS = 300;

interface Bag {
  readonly draft?: string;
}

/** Keeps what is being written under a key, and brings it back. */
export function createDraft(
  key: Accessor<string>,
  text: Accessor<string>,
  setText: (text: string) => void,
): void {
  const { engine } = useParley();
  createEffect(
    on(key, async (of) => {
      const bag = (await engine.bag(of)) as Bag | undefined;
      // What was written meanwhile is newer.
      if (bag?.draft && text() === "" && key() === of) setText(bag.draft);
    }),
  );
  createEffect(
    on(
      text,
      (draft) => {
        const of = key();
        const timer = setTimeout(async () => {
          const bag = (await engine.bag(of)) as Bag | undefined;
          await engine.keepBag(of, { ...bag, draft });
        }, KEEP_AFTER_MS);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
}
