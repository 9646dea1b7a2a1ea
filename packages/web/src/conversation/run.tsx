import { createMemo, For, Show } from "solid-js";
import { sameItems } from "../app/same-items.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { RunFiles } from "../artifacts/run-files.tsx";
import { AnswerText } from "./answer-text.tsx";
import { RunFoot } from "./run-foot.tsx";
import { RunWork } from "./run-work.tsx";
import { Thinking } from "./thinking.tsx";
import "./messages.css";

/** One answer with everything that led to it. */
export function Run(props: { view: SessionView; runId: string }) {
  const run = createMemo(() => props.view.run(props.runId));
  const texts = createMemo(() => run()?.texts ?? {});
  const thoughts = createMemo(
    () => Object.keys(texts()).filter((id) => texts()[id]?.channel === "thinking"),
    [],
    { equals: sameItems },
  );
  const isActive = () => run()?.status === "running" || run()?.status === "waiting";
  const streamed = createMemo(() =>
    Object.values(texts())
      .filter(({ channel }) => channel === "answer")
      .map(({ text }) => text)
      .join("\n\n"),
  );
  const answer = createMemo(() => props.view.answer(props.runId)?.content ?? streamed());
  const approvals = createMemo(
    () => props.view.approvals().filter((each) => each.runId === props.runId),
    [],
    { equals: sameItems },
  );
  return (
    <article class="run" aria-label={run()?.agent ?? t().conversation.label} aria-busy={isActive()}>
      {/* So that answers are gone to by their headings, and those in an answer are below one. */}
      <h2 class="visually-hidden">{run()?.agent}</h2>
      <RunWork view={props.view} runId={props.runId} />
      <For each={thoughts()}>
        {(id) => <Thinking text={texts()[id]?.text ?? ""} isOpen={texts()[id]?.isOpen ?? false} />}
      </For>
      <For each={approvals()}>
        {(approval) => <ApprovalCard approval={approval} isOpen={isActive() && !props.view.at} />}
      </For>
      <Show when={answer() !== ""}>
        <AnswerText text={answer()} done={!isActive()} />
      </Show>
      <RunFiles view={props.view} runId={props.runId} />
      <Show when={!isActive()}>
        <RunFoot view={props.view} runId={props.runId} answer={answer()} />
      </Show>
    </article>
  );
}
