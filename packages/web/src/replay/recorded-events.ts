import type { DomainEvent } from "@parley/client";
import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { reasonOf } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";

const PAGE = 1_000;

/** Reads the events of a session or of one of its runs, and more of them whenever `head` goes up. */
export function createRecordedEvents(
  of: Accessor<{ readonly sessionId: string; readonly run?: string | undefined }>,
  head: Accessor<number>,
) {
  const { client } = useParley();
  const [events, setEvents] = createSignal<readonly DomainEvent[]>([]);
  const [isLoading, setLoading] = createSignal(true);
  const [trouble, setTrouble] = createSignal<string>();
  let stop = new AbortController();
  let isReading = false;
  let isMore = false;

  const read = async () => {
    isMore = true;
    if (isReading) return;
    const { signal } = stop;
    const { sessionId, run } = of();
    isReading = true;
    setTrouble(undefined);
    try {
      while (isMore && !signal.aborted) {
        isMore = false;
        for (let cursor = events().at(-1)?.index; ; ) {
          const page = await client.listEvents(
            sessionId,
            { limit: PAGE, ...(run && { run }), ...(cursor && { cursor: String(cursor) }) },
            { signal },
          );
          if (page.events.length > 0) setEvents((before) => [...before, ...page.events]);
          cursor = events().at(-1)?.index;
          if (page.next === null) break;
        }
      }
      if (!signal.aborted) setLoading(false);
    } catch (error) {
      if (signal.aborted) return;
      setTrouble(reasonOf(error));
    } finally {
      if (!signal.aborted) isReading = false;
    }
  };

  createEffect(
    on(
      () => JSON.stringify(of()),
      () => {
        stop.abort();
        stop = new AbortController();
        isReading = false;
        setEvents([]);
        setLoading(true);
        void read();
      },
    ),
  );
  createEffect(on(head, () => void read(), { defer: true }));
  onCleanup(() => stop.abort());
  return { events, isLoading, trouble, retry: () => void read() };
}
