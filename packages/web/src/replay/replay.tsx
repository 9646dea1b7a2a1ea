import "./replay.css";
import { type ApiClient, INITIAL_STATE, type SessionRecord, type SyncState } from "@parley/client";
import { useNavigate, useSearchParams } from "@solidjs/router";
import { type Accessor, createEffect, createMemo, createSignal, For, on, onCleanup, Show } from "solid-js";
import { onShortcut } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import { type SessionView, sessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { createScrollFollow } from "../conversation/scroll-follow.ts";
import { TimelineEntry } from "../conversation/timeline-entry.tsx";
import { EventLog } from "./event-log.ts";
import { Playback } from "./playback.ts";
import { createPlayer } from "./player.ts";
import { Scrubber } from "./scrubber.tsx";

/** As many as are worked through without anybody noticing. */
const PAGE = 1_000;

/** The events of a session as they are loaded, page by page, and those that come meanwhile. */
interface LoadedEvents {
  /** A signal: the log is the same one, and has more in it each time. */
  readonly log: Accessor<EventLog>;
  readonly playback: Playback;
  /** Whether all that were there are here. */
  readonly isWhole: Accessor<boolean>;
  readonly trouble: Accessor<string | undefined>;
  tryAgain(): void;
}

/** Loads the events of a session up to the last that is known of. */
function createLoadedEvents(client: ApiClient, id: string, liveIndex: Accessor<number>): LoadedEvents {
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

/** An address changes when one has arrived somewhere, not all along the way. */
const ADDRESS_AFTER_MS = 250;

/** A session as it was at any of its events; what goes on in it meanwhile goes on. */
export default function Replay(props: { id: string; liveIndex: number }) {
  const { client, engine } = useParley();
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams<{ event: string }>();
  const { log, playback, isWhole, trouble, tryAgain } = createLoadedEvents(
    client,
    props.id,
    () => props.liveIndex,
  );
  // Undefined: wherever the end is.
  const [wanted, setWanted] = createSignal<number>();
  const index = createMemo(() => log().clamped(wanted() ?? Number.POSITIVE_INFINITY));
  const record = createMemo(() => log().recordAt(index()));
  const view = pastView(props.id, record);
  const follow = createScrollFollow();
  const player = createPlayer({
    playback,
    count: () => log().last - log().first + 1,
    position: () => index() - log().first + 1,
    moveTo: (position) => setWanted(position + log().first - 1),
  });
  const moveTo = (next: number) => {
    player.pause();
    setWanted(log().clamped(next));
  };
  createEffect(
    on(
      () => search.event,
      (event) => {
        const asked = Number(event);
        if (Number.isSafeInteger(asked) && asked !== wanted()) setWanted(asked);
      },
    ),
  );
  createEffect(
    on([index, isWhole], ([at, isLoaded]) => {
      if (!isLoaded || at === Number(search.event)) return;
      const timer = setTimeout(() => setSearch({ event: String(at) }, { replace: true }), ADDRESS_AFTER_MS);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  const leave = () => navigate(`/${props.id}`);
  onShortcut("playPause", player.toggle);
  onShortcut("eventBack", () => moveTo(index() - 1));
  onShortcut("eventForward", () => moveTo(index() + 1));
  onShortcut("stop", leave);
  return (
    <section class="replay" aria-label={t().replay.label}>
      <header class="conversation-head replay-head">
        <h1>{view.title() || t().app.untitled}</h1>
      </header>
      <div
        class="scroller"
        ref={follow.scroller}
        role="log"
        aria-live="off"
        aria-label={t().conversation.label}
        tabindex="0"
      >
        <fieldset class="timeline past" ref={follow.content} disabled>
          <For each={view.timeline()} fallback={<p class="muted">{t().branches.nothingYet}</p>}>
            {(item) => <TimelineEntry view={view} item={item} />}
          </For>
        </fieldset>
      </div>
      <footer class="conversation-foot">
        <Show when={trouble()}>
          {(reason) => (
            <p class="warning" role="alert">
              {t().replay.failed(reason())}{" "}
              <button type="button" class="link-button" onClick={tryAgain}>
                {t().app.retry}
              </button>
            </p>
          )}
        </Show>
        <Scrubber
          log={log()}
          index={index()}
          isWhole={isWhole()}
          player={player}
          onMove={moveTo}
          onFork={() => engine.fork(props.id, { eventIndex: index() })}
          onLeave={leave}
        />
      </footer>
    </section>
  );
}

/** A session as it was, in the same signals as one that goes on: what draws the one draws the other. */
function pastView(id: string, record: Accessor<SessionRecord>): SessionView {
  const state = (): SyncState => ({
    ...INITIAL_STATE,
    open: { [id]: { record: record(), isForsaken: false, freshness: { name: "current" } } },
  });
  return { ...sessionView(state, () => id), at: () => Date.parse(record().updatedAt ?? "") || 0 };
}
