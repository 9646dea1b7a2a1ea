import type { ApiFile, NextMessage } from "@parley/client";
import { createEffect, createMemo, createSignal, For, type JSX, onMount, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { Icon } from "../app/icon.tsx";
import { onShortcut } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { AgentMenu } from "../branches/agent-menu.tsx";
import { NewBranchNote } from "../branches/branch-controls.tsx";
import { HeadLinks } from "../branches/head-links.tsx";
import { createShownMessage } from "../search/show-message.ts";
import { Composer } from "./composer.tsx";
import { createNearness, type Nearness } from "./nearness.ts";
import { createOutbox } from "./outbox.ts";
import { createScrollFollow } from "./scroll-follow.ts";
import { wholeSentences } from "./sentences.ts";
import { idOf, type TimelineItem as TimelineItemId } from "./timeline.ts";
import { TimelineEntry } from "./timeline-entry.tsx";

/**
 * One item of a conversation. Far from what is seen it is only its words, as high as it was: the page's own search
 * finds them, and a session of any length costs little.
 */
function TimelineItem(props: {
  nearness: Nearness;
  /** Whether it is drawn at first, before anybody could see where it is. */
  isNear: boolean;
  /** Whether it is drawn wherever it is. */
  isAlwaysDrawn: boolean;
  /** The id of the message, for search results that link to it. */
  messageId: string | undefined;
  text: string;
  children: JSX.Element;
}) {
  const [isNear, setNear] = createSignal(props.isNear);
  let height: number | undefined;
  let item: HTMLDivElement | undefined;
  onMount(() => {
    const element = item;
    if (!element) return;
    props.nearness.watch(element, (now) => {
      // Items that are expanded, being edited or selected stay rendered.
      if (!now && (props.isAlwaysDrawn || isInUse(element))) return;
      if (!now && isNear()) height = element.offsetHeight;
      setNear(now);
    });
  });
  return (
    <div class="timeline-item" data-message={props.messageId} ref={item}>
      <Show
        when={isNear()}
        fallback={
          <div class="far" style={{ height: `${height ?? estimatedHeight(props.text)}px` }}>
            {props.text}
          </div>
        }
      >
        {props.children}
      </Show>
    </div>
  );
}

function isInUse(element: HTMLElement): boolean {
  if (element.contains(document.activeElement) || element.querySelector("details[open], [aria-busy=true]"))
    return true;
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}

const LINE = 24;
const LINE_LENGTH = 85;
const AROUND = 44;

function estimatedHeight(text: string): number {
  let lines = 0;
  for (const line of text.split("\n")) lines += Math.max(1, Math.ceil(line.length / LINE_LENGTH));
  return AROUND + lines * LINE;
}

/** About one screen, at the end of the conversation. */
const DRAWN_AT_FIRST = 12;
/** Conversations up to this length are drawn whole. */
const DRAWN_WHOLE = 40;

/** A conversation: its messages, its current work, and the input field. */
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

/** Announces the streaming answer to screen readers, sentence by sentence. */
function Announcer(props: { view: SessionView }) {
  const [said, setSaid] = createSignal("");
  const runId = createMemo<string | undefined>((before) => props.view.activeRun()?.id ?? before);
  let position = 0;
  let announced: string | undefined;
  createEffect(() => {
    const id = runId();
    const run = id === undefined ? undefined : props.view.run(id);
    if (!run) return;
    if (announced !== id) position = 0;
    announced = id;
    const text = Object.values(run.texts)
      .filter(({ channel }) => channel === "answer")
      .map((each) => each.text)
      .join("\n");
    const end = wholeSentences(text, run.completedAt !== undefined);
    if (end <= position) return;
    setSaid(text.slice(position, end).trim());
    position = end;
  });
  return (
    <div class="visually-hidden" aria-live="polite">
      {said()}
    </div>
  );
}

function OutboxList(props: { outbox: ReturnType<typeof createOutbox> }) {
  return (
    <Show when={props.outbox.waiting().length > 0}>
      <ul class="outbox" aria-label={t().conversation.queuedNext}>
        <For each={props.outbox.waiting()}>
          {(message) => (
            <li>
              <span class="outbox-text">{outboxText(message)}</span>
              <span class="muted">{t().conversation.queuedNext}</span>
              <Button
                kind="link"
                label={t().conversation.sendNow}
                onClick={() => props.outbox.sendNow(message.key)}
              />
              <Button kind="link" label={t().app.remove} onClick={() => props.outbox.remove(message.key)} />
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function outboxText({ content, files }: NextMessage): string {
  return [content, ...files.map(({ name }) => name)].filter((part) => part !== "").join(" · ");
}
