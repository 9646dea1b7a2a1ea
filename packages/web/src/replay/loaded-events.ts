import type { ApiClient } from "@parley/client";
import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import { EventLog } from "./event-log.ts";
import { Playback } from "./playback.ts";

/** As many as are worked through without anybody noticing. */
const PAGE = 1_000;

/** The events of a session as they are loaded, page by page, and those that come meanwhile. */
export interface LoadedEvents {
  /** A signal: the log is the same one, and has more in it each time. */
  readonly log: Accessor<EventLog>;
  readonly playback: Playback;
  /** Whether all that were there are here. */
  readonly isWhole: Accessor<boolean>;
  readonly trouble: Accessor<string | undefined>;
  tryAgain(): void;
}

/** Loads the events of a session up to the last that is known of. */
export function createLoadedEvents(client: ApiClient, id: string, liveIndex: Accessor<number>): LoadedEvents {
  const [log, setLog] = createSignal(new EventLog(id), { equals: false });
  const [isWhole, setWhole] = createSignal(false);
  const [trouble, setTrouble] = createSignal<string>();
  const playback = new Playback();
  const abort = new AbortController();
  let isLoading = false;
  onCleanup(() => abort.abort());

  /** Whether there is more. */
  const loadPage = async () => {
    const cursor = String(log().last);
    const { events, next } = await client.listEvents(id, { cursor, limit: PAGE }, { signal: abort.signal });
    if (events.length === 0) return false;
    playback.append(events);
    setLog((known) => {
      known.append(events);
      return known;
    });
    return next !== null || log().last < liveIndex();
  };
  const load = async () => {
    if (isLoading) return;
    isLoading = true;
    setTrouble(undefined);
    try {
      while (await loadPage());
      setWhole(true);
    } catch (error) {
      if (!abort.signal.aborted) setTrouble(error instanceof Error ? error.message : String(error));
    } finally {
      isLoading = false;
    }
  };
  createEffect(() => {
    if (log().last < liveIndex() || !isWhole()) void load();
  });
  return { log, playback, isWhole, trouble, tryAgain: () => void load() };
}
