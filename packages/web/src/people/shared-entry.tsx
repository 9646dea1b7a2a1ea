import { filesOf } from "@parley/client";
import { createMemo, For, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { createListMemo } from "../app/list-memo.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { AnswerText } from "../conversation/answer-text.tsx";
import { RunWork } from "../conversation/run-work.tsx";
import "../artifacts/run-files.css";

/** One item of a read-only conversation. */
export function SharedEntry(props: { view: SessionView; id: string; isRun: boolean }) {
  return (
    <Show when={props.isRun} fallback={<SharedMessage view={props.view} messageId={props.id} />}>
      <SharedRun view={props.view} runId={props.id} />
    </Show>
  );
}

function SharedMessage(props: { view: SessionView; messageId: string }) {
  const message = createMemo(() => props.view.message(props.messageId));
  const files = () => (message()?.metadata.files ?? []).map(({ name }) => name);
  return (
    <Show
      when={message()?.role === "user"}
      fallback={
        <article class="run" aria-label={message()?.metadata.agent ?? ""}>
          <AnswerText text={message()?.content ?? ""} done={true} />
          <Show when={message()?.metadata.agentRunId}>
            {(runId) => <FileNames names={namesOf(props.view, runId())} />}
          </Show>
        </article>
      }
    >
      <article class="user-message" aria-label={t().people.author}>
        <div class="user-text" dir="auto">
          {message()?.content}
        </div>
        <FileNames names={files()} />
      </article>
    </Show>
  );
}

function SharedRun(props: { view: SessionView; runId: string }) {
  const run = createMemo(() => props.view.run(props.runId));
  const isActive = () => run()?.status === "running" || run()?.status === "waiting";
  const answer = createMemo(() => props.view.answerText(props.runId));
  const names = createListMemo(() => namesOf(props.view, props.runId));
  return (
    <article class="run" aria-label={run()?.agent ?? t().conversation.label} aria-busy={isActive()}>
      <h2 class="visually-hidden">{run()?.agent}</h2>
      <RunWork view={props.view} runId={props.runId} />
      <Show when={answer() !== ""}>
        <AnswerText text={answer()} done={!isActive()} />
      </Show>
      <FileNames names={names()} />
    </article>
  );
}

function namesOf(view: SessionView, runId: string): readonly string[] {
  return filesOf(view.artifacts(runId)).map(({ name }) => name || t().artifacts.file);
}

/** Readers of a shared link see the names of files, but cannot open them. */
function FileNames(props: { names: readonly string[] }) {
  return (
    <Show when={props.names.length > 0}>
      <ul class="run-files" aria-label={t().artifacts.title}>
        <For each={props.names}>
          {(name) => (
            <li class="file-chip">
              <Icon name="file" />
              <span class="file-name">{name}</span>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
