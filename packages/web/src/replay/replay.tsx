import "./replay.css";
import { INITIAL_STATE, type SessionRecord, type SyncState } from "@parley/client";
import { useNavigate, useSearchParams } from "@solidjs/router";
import { type Accessor, createEffect, createMemo, createSignal, For, on, onCleanup } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { onShortcut } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import { type SessionView, sessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { createScrollFollow } from "../conversation/scroll-follow.ts";
import { TimelineEntry } from "../conversation/timeline-entry.tsx";
import { EventLog } from "./event-log.ts";
import { Playback } from "./playback.ts";
import { createPlayer } from "./player.ts";
import { createRecordedEvents } from "./recorded-events.ts";
import { Scrubber } from "./scrubber.tsx";

/** The URL changes only after the slider has come to rest. */
const ADDRESS_AFTER_MS = 250;

/** A session as it was at any of its events; the live session continues meanwhile. */
export default function Replay(props: { id: string; liveIndex: number }) {
  const { engine } = useParley();
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams<{ event: string }>();
  const recorded = createRecordedEvents(
    () => ({ sessionId: props.id }),
    () => props.liveIndex,
  );
  const playback = new Playback();
  // The same object each time, with more in it.
  const log = createMemo(
    (known: EventLog) => {
      const added = recorded.events().slice(known.events.length);
      playback.append(added);
      known.append(added);
      return known;
    },
    new EventLog(props.id),
    { equals: false },
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
    on([index, recorded.isLoading], ([at, isLoading]) => {
      if (isLoading || at === Number(search.event)) return;
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
        <Alert reason={recorded.trouble()} text={t().replay.failed} onRetry={recorded.retry} />
        <Scrubber
          log={log()}
          index={index()}
          isWhole={!recorded.isLoading()}
          player={player}
          onMove={moveTo}
          onFork={() => engine.fork(props.id, { eventIndex: index() })}
          onLeave={leave}
        />
      </footer>
    </section>
  );
}

/** A past state of a session as a view, so that the same components can draw it. */
function pastView(id: string, record: Accessor<SessionRecord>): SessionView {
  const state = (): SyncState => ({
    ...INITIAL_STATE,
    open: { [id]: { record: record(), isOrphaned: false, freshness: { name: "current" } } },
  });
  return { ...sessionView(state, () => id), at: () => Date.parse(record().updatedAt ?? "") || 0 };
}
