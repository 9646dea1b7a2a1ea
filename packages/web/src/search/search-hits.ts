import type { SearchHit } from "@parley/client";
import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { useParley } from "../app/parley.ts";

/** What the server has found for what was typed last. */
export interface SearchHits {
  readonly hits: Accessor<readonly SearchHit[]>;
  readonly phase: Accessor<"idle" | "searching" | "unreachable">;
}

const PAUSE_MS = 120;
const MOST = 20;

/** Searches as it is typed: after a short pause, and never an answer to an earlier question. */
export function createSearchHits(query: Accessor<string>): SearchHits {
  const { client } = useParley();
  const [hits, setHits] = createSignal<readonly SearchHit[]>([]);
  const [phase, setPhase] = createSignal<"idle" | "searching" | "unreachable">("idle");
  createEffect(
    on(query, (typed) => {
      const text = typed.trim();
      if (text === "") {
        setHits([]);
        setPhase("idle");
        return;
      }
      setPhase("searching");
      const stale = new AbortController();
      const timer = setTimeout(async () => {
        try {
          const found = await client.search(text, { limit: MOST }, { signal: stale.signal, attempts: 1 });
          if (stale.signal.aborted) return;
          setHits(found.hits);
          setPhase("idle");
        } catch {
          if (stale.signal.aborted) return;
          // What is known here is found all the same, and the palette says so.
          setHits([]);
          setPhase("unreachable");
        }
      }, PAUSE_MS);
      onCleanup(() => {
        clearTimeout(timer);
        stale.abort();
      });
    }),
  );
  return { hits, phase };
}
