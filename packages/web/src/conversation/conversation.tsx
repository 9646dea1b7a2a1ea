import type { ApiFile } from "@parley/client";
import { createMemo, For, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { onShortcut } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { AgentMenu } from "../branches/agent-menu.tsx";
import { HeadLinks } from "../branches/head-links.tsx";
import { NewBranchNote } from "../branches/new-branch-note.tsx";
import { createShownMessage } from "../search/show-message.ts";
import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer.tsx";
import { createNearness } from "./nearness.ts";
import { createOutbox } from "./outbox.ts";
import { OutboxList } from "./outbox-list.tsx";
import { createScrollFollow } from "./scroll-follow.ts";
import { idOf, type TimelineItem as TimelineItemId } from "./timeline.ts";
import { TimelineEntry } from "./timeline-entry.tsx";
import { TimelineItem } from "./timeline-item.tsx";

/** About a screen: the end of the conversation, where it opens. */
const DRAWN_AT_FIRST = 12;
/** A conversation of so many items costs nothing that anybody would notice. */
const DRAWN_WHOLE = 40;

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
  const send = (text: string, files: readonly ApiFile[]) => {
    follow.toLatest();
    outbox.add(text, files);
  };
  const drawnAtFirst = () => (props.view.timeline().length <= DRAWN_WHOLE ? DRAWN_WHOLE : DRAWN_AT_FIRST);
  const messageOf = (item: TimelineItemId) =>
    item.startsWith("run/") ? props.view.answer(idOf(item)) : props.view.message(idOf(item));
  onShortcut("stop", stop);
  createShownMessage(props.view, follow.toElement);
  return (
    <div class="conversation">
      <header class="conversation-head">
        <h1>{props.view.title() || t().app.untitled}</h1>
        <HeadLinks view={props.view} />
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
                isNear={at() >= props.view.timeline().length - drawnAtFirst()}
                isAlwaysDrawn={props.view.timeline().length <= DRAWN_WHOLE}
                messageId={messageOf(item)?.id}
                text={messageOf(item)?.content ?? ""}
              >
                <TimelineEntry view={props.view} item={item} />
              </TimelineItem>
            )}
          </For>
          <NewBranchNote view={props.view} />
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
        <Composer
          draftKey={props.view.id()}
          menu={<AgentMenu view={props.view} />}
          onSend={send}
          runStatus={runStatus()}
          onStop={stop}
        />
      </footer>
    </div>
  );
}
