import { INITIAL_STATE, type SyncState } from "@parley/client";
import { createEffect, createMemo, createSignal, For, Match, Show, Switch } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { type SessionView, sessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { createScrollFollow } from "../conversation/scroll-follow.ts";
import { idOf } from "../conversation/timeline.ts";
import { SharedEntry } from "./shared-entry.tsx";
import { createSharedSession } from "./shared-session.ts";
import "../app/shell.css";
import "../app/pages.css";
import "../conversation/conversation.css";
import "../conversation/messages.css";
import "./people.css";

/** What whoever has a link sees: one conversation, as it goes on, and as it was at each of its events. */
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
      [record.id]: { record, isForsaken: false, freshness: { name: "current" } as const },
    };
    return { ...INITIAL_STATE, ...(open && { open }) };
  };
  const view: SessionView = { ...sessionView(state, id), isShared: true };
  const follow = createScrollFollow();
  const words = () => t().people;
  const index = () => shown()?.index ?? 0;
  const moveTo = (to: number) => setWanted(to >= log().last ? undefined : to);
  createEffect(() => {
    document.title = `${view.title() || words().shared} · Parley`;
  });
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
            <Show when={end()}>
              {(trouble) => (
                <p class="warning" role="alert">
                  {t().replay.failed(trouble().reason)}
                </p>
              )}
            </Show>
            <div class="shared-scrubber">
              <input
                type="range"
                aria-label={t().replay.scrubber}
                aria-valuetext={t().replay.position(index(), log().last)}
                min={log().first}
                max={Math.max(log().last, log().first)}
                step="1"
                value={index()}
                onInput={(event) => moveTo(event.currentTarget.valueAsNumber)}
              />
              <span class="muted small">{t().replay.position(index(), log().last)}</span>
              <Show when={wanted() !== undefined}>
                <button type="button" class="quiet-button" onClick={() => setWanted(undefined)}>
                  <Icon name="down" />
                  {t().replay.live}
                </button>
              </Show>
            </div>
          </footer>
        </Match>
      </Switch>
    </main>
  );
}
