import "../app/shell.css";
import "../app/pages.css";
import "../conversation/conversation.css";
import "../conversation/messages.css";
import "./people.css";
import {
  ApiClient,
  ApiError,
  browserConnectivity,
  EventFeed,
  INITIAL_STATE,
  type SyncState,
} from "@parley/client";
import { createMemo, createSignal, For, Match, onCleanup, Show, Switch } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { SERVER_URL } from "../app/base-path.ts";
import { Button } from "../app/button.tsx";
import { reasonOf } from "../app/loaded.ts";
import { setPageTitle } from "../app/page-title.ts";
import { type SessionView, sessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { createScrollFollow } from "../conversation/scroll-follow.ts";
import { idOf } from "../conversation/timeline.ts";
import { EventLog } from "../replay/event-log.ts";
import { EventSlider } from "../replay/scrubber.tsx";
import { SharedEntry } from "./shared-entry.tsx";

const PAGE = 1_000;

function createSharedSession(token: string) {
  const headers = { "X-Share-Token": token };
  const client = new ApiClient({ baseUrl: SERVER_URL, headers });
  const abort = new AbortController();
  onCleanup(() => abort.abort());
  const [log, setLog] = createSignal(new EventLog(""), { equals: false });
  const [end, setEnd] = createSignal<{ isGone: boolean; reason: string }>();
  const add = (events: Parameters<EventLog["append"]>[0]) =>
    setLog((known) => {
      const [first] = events;
      const filled = known.last === 0 && first ? new EventLog(first.sessionId) : known;
      filled.append(events);
      return filled;
    });
  /** All that came after what is known. */
  const catchUp = async () => {
    for (let more: string | null = ""; more !== null; ) {
      const page = await client.listSharedEvents(
        { cursor: String(log().last), limit: PAGE },
        { signal: abort.signal },
      );
      add(page.events);
      more = page.next;
    }
  };
  const follow = async () => {
    await catchUp();
    const connectivity = browserConnectivity(window);
    const feed = new EventFeed({ baseUrl: SERVER_URL, path: "/shared/stream", headers, connectivity });
    for await (const item of feed.read(abort.signal)) {
      if (item.type === "event" && item.event.index === log().last + 1) add([item.event]);
      // What came between the reading and the stream, or is not known to lead on, is read.
      else if (item.type === "opened" || item.type === "reset" || item.type === "event") await catchUp();
    }
  };
  follow().catch((error: unknown) => {
    if (abort.signal.aborted) return;
    const isGone = error instanceof ApiError && [401, 404, 422].includes(error.status);
    setEnd({ isGone, reason: reasonOf(error) });
  });
  const record = createMemo(() => (log().last === 0 ? undefined : log().recordAt(log().last)));
  return { log, record, end };
}

/** The read-only page behind a share link: one conversation, live and at each past event. */
export default function SharedPage(props: { token: string }) {
  const { log, record, end } = createSharedSession(props.token);
  /** Undefined: wherever it is now. */
  const [wanted, setWanted] = createSignal<number>();
  const shown = createMemo(() => {
    const at = wanted();
    return at === undefined ? record() : log().recordAt(at);
  });
  const id = () => record()?.id ?? "";
  const state = (): SyncState => {
    const record = shown();
    const open = record && {
      [record.id]: { record, isOrphaned: false, freshness: { name: "current" } as const },
    };
    return { ...INITIAL_STATE, ...(open && { open }) };
  };
  const view: SessionView = { ...sessionView(state, id), isShared: true };
  const follow = createScrollFollow();
  const words = () => t().people;
  const index = () => shown()?.index ?? 0;
  const moveTo = (to: number) => setWanted(to >= log().last ? undefined : to);
  setPageTitle(() => view.title() || words().shared);
  return (
    <main class="shared-page conversation">
      <header class="conversation-head">
        <h1>{view.title() || t().app.untitled}</h1>
        <span class="muted small">{words().readOnly}</span>
      </header>
      <Switch>
        <Match when={end()?.isGone}>
          <div class="notice-page" role="alert">
            <h2>{words().gone}</h2>
            <p>{words().goneHint}</p>
          </div>
        </Match>
        <Match when={true}>
          <div
            class="scroller"
            ref={follow.scroller}
            tabindex="0"
            role="log"
            aria-label={t().conversation.label}
          >
            <div class="timeline" ref={follow.content}>
              <For each={view.timeline()} fallback={<p class="muted">{t().app.loading}</p>}>
                {(item) => <SharedEntry view={view} id={idOf(item)} isRun={item.startsWith("run/")} />}
              </For>
            </div>
          </div>
          <footer class="conversation-foot">
            <Alert reason={end()?.reason} text={t().replay.failed} />
            <div class="shared-scrubber">
              <EventSlider log={log()} index={index()} onMove={moveTo} />
              <span class="muted small">{t().replay.position(index(), log().last)}</span>
              <Show when={wanted() !== undefined}>
                <Button
                  kind="quiet"
                  label={t().replay.live}
                  onClick={() => setWanted(undefined)}
                  icon="down"
                />
              </Show>
            </div>
          </footer>
        </Match>
      </Switch>
    </main>
  );
}
