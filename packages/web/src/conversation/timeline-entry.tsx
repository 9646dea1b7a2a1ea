import { createEffect, createMemo, createSignal, Match, Show, Switch } from "solid-js";
import { Button } from "../app/button.tsx";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { RunFiles } from "../artifacts/run-files.tsx";
import { MessageFiles } from "../attachments/message-files.tsx";
import { placeOfAnswer } from "../branches/alternatives.ts";
import { BranchWalker, ForkButton, UserTools } from "../branches/branch-controls.tsx";
import { useBranches } from "../branches/branches.ts";
import { MessageEditor } from "../branches/message-editor.tsx";
import { AnswerText } from "./answer-text.tsx";
import { Run } from "./run.tsx";
import { idOf, type TimelineItem } from "./timeline.ts";

/** One item of a conversation. */
export function TimelineEntry(props: { view: SessionView; item: TimelineItem }) {
  const id = () => idOf(props.item);
  return (
    <Switch>
      <Match when={props.item.startsWith("run/")}>
        <Run view={props.view} runId={id()} />
      </Match>
      <Match when={props.view.message(id())?.role === "user"}>
        <UserMessage view={props.view} messageId={id()} />
      </Match>
      <Match when={true}>
        <PlainAnswer view={props.view} messageId={id()} />
      </Match>
    </Switch>
  );
}

/** An answer from before the fork: its run is in the parent session. */
function PlainAnswer(props: { view: SessionView; messageId: string }) {
  const message = createMemo(() => props.view.message(props.messageId));
  return (
    <article class="run" data-message={props.messageId} aria-label={message()?.metadata.agent ?? ""}>
      <h2 class="visually-hidden">{message()?.metadata.agent}</h2>
      <AnswerText text={message()?.content ?? ""} done={true} />
      <Show when={message()?.metadata.agentRunId}>
        {(runId) => <RunFiles view={props.view} runId={runId()} />}
      </Show>
      <div class="run-actions">
        <ForkButton messageId={props.messageId} />
        <BranchWalker place={placeOfAnswer(props.view, props.messageId)} />
      </div>
    </article>
  );
}

function UserMessage(props: { view: SessionView; messageId: string }) {
  const { engine } = useParley();
  const message = createMemo(() => props.view.message(props.messageId));
  const [isEditing, setEditing] = createSignal(false);
  const branches = useBranches();
  // The editor that sent it may be gone with its page: without this the refusal would not be shown.
  createEffect(() => {
    if (branches?.refusedEdit(props.messageId)) setEditing(true);
  });
  const pending = () => message()?.pending;
  const words = () => {
    const phase = pending()?.phase;
    if (!phase || phase.name === "acknowledged") return undefined;
    return phase.name === "refused"
      ? t().conversation.refused(phase.refusal.message)
      : t().conversation.pending[phase.name];
  };
  return (
    <article
      class="user-message"
      classList={{ pending: pending() !== undefined, editing: isEditing() }}
      aria-label={t().conversation.you}
    >
      <Show
        when={isEditing() && message()}
        fallback={
          <Show when={message()?.content}>
            <div class="user-text" dir="auto">
              {message()?.content}
            </div>
          </Show>
        }
      >
        {(edited) => <MessageEditor message={edited()} onClose={() => setEditing(false)} />}
      </Show>
      <MessageFiles files={message()?.metadata.files ?? []} />
      <Show when={message()?.metadata.isEdited}>
        <span class="muted small">{t().conversation.edited}</span>
      </Show>
      <Show when={words()}>{(text) => <span class="muted small message-state">{text()}</span>}</Show>
      <Show when={pending()?.phase.name === "refused" && pending()}>
        {(refused) => (
          <span class="message-actions">
            <Button kind="link" label={t().app.retry} onClick={() => engine.retryCommand(refused().key)} />
            <Button
              kind="link"
              label={t().conversation.discard}
              onClick={() => engine.discardCommand(refused().key)}
            />
          </span>
        )}
      </Show>
      <Show when={!isEditing()}>
        <UserTools message={message()} onEdit={() => setEditing(true)} />
      </Show>
    </article>
  );
}
