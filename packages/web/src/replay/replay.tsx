import { useNavigate, useSearchParams } from "@solidjs/router";
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show } from "solid-js";
import { onShortcut } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { createScrollFollow } from "../conversation/scroll-follow.ts";
import { TimelineEntry } from "../conversation/timeline-entry.tsx";
import { createLoadedEvents } from "./loaded-events.ts";
import { pastView } from "./past-view.ts";
import { createPlayer } from "./player.ts";
import { Scrubber } from "./scrubber.tsx";
import "./replay.css";

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
          <For each={view.timeline()} fallback={<p class="muted">{t().replay.nothingYet}</p>}>
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
                {t().replay.tryAgain}
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
