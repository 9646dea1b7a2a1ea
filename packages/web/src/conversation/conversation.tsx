import { createMemo, For, Match, Show, Switch } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { onShortcut } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer.tsx";
import { createNearness } from "./nearness.ts";
import { createOutbox } from "./outbox.ts";
import { OutboxList } from "./outbox-list.tsx";
import { PlainAnswer } from "./plain-answer.tsx";
import { Run } from "./run.tsx";
import { createScrollFollow } from "./scroll-follow.ts";
import { idOf, type TimelineItem as TimelineItemId } from "./timeline.ts";
import { TimelineItem } from "./timeline-item.tsx";
import { UserMessage } from "./user-message.tsx";

/** About a screen: the end of the conversation, where it opens. */
const DRAWN_AT_FIRST = 12;

/** A conversation: what was said, what is going on, and the field for what comes next. */
export function Conversation(props: { view: SessionView }) {
  const { engine } = useParley();
  const follow = createScrollFollow();
  const nearness = createNearness(follow);
  const outbox = createOutbox(props.view, engine);
  const runStatus = createMemo(() => props.view.activeRun()?.status);
  const stop = () => {
    const run = props.view.activeRun();
    if (run) engine.cancel(props.view.id(), run.id);
  };
  const send = (text: string, files: readonly string[]) => {
    follow.toLatest();
    outbox.add(text, files);
  };
  const wordsOf = (item: TimelineItemId) =>
    (item.startsWith("run/") ? props.view.answer(idOf(item)) : props.view.message(idOf(item)))?.content ?? "";
  onShortcut("stop", stop);
  return (
    <div class="conversation">
      <header class="conversation-head">
        <h1>{props.view.title() || t().app.untitled}</h1>
      </header>
      <div
        class="scroller"
        ref={(element) => {
          follow.scroller(element);
          nearness.scroller(element);
        }}
      >
        <div
          class="timeline"
          ref={follow.content}
          role="log"
          aria-live="off"
          aria-label={t().conversation.label}
        >
          <For each={props.view.timeline()}>
            {(item, at) => (
              <TimelineItem
                nearness={nearness}
                isNear={at() >= props.view.timeline().length - DRAWN_AT_FIRST}
                text={wordsOf(item)}
              >
                <Switch>
                  <Match when={item.startsWith("run/")}>
                    <Run view={props.view} runId={idOf(item)} />
                  </Match>
                  <Match when={props.view.message(idOf(item))?.role === "user"}>
                    <UserMessage view={props.view} messageId={idOf(item)} />
                  </Match>
                  <Match when={true}>
                    <PlainAnswer view={props.view} messageId={idOf(item)} />
                  </Match>
                </Switch>
              </TimelineItem>
            )}
          </For>
        </div>
      </div>
      <Announcer view={props.view} />
      <footer class="conversation-foot">
        <Show when={follow.isAway()}>
          <button type="button" class="jump" onClick={follow.toLatest}>
            <Icon name="down" />
            {t().conversation.jump}
          </button>
        </Show>
        <OutboxList outbox={outbox} />
        <Composer draftKey={props.view.id()} onSend={send} runStatus={runStatus()} onStop={stop} />
      </footer>
    </div>
  );
}
