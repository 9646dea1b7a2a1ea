import { phaseOf } from "@parley/client";
import { A } from "@solidjs/router";
import { createMemo, For, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { CopyButton } from "../app/copy-button.tsx";
import { Disclosure } from "../app/disclosure.tsx";
import { Icon } from "../app/icon.tsx";
import { createListMemo } from "../app/list-memo.ts";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { RunFiles } from "../artifacts/run-files.tsx";
import { placeOfRun } from "../branches/alternatives.ts";
import { BranchWalker, ForkButton } from "../branches/branch-controls.tsx";
import { AnswerText } from "./answer-text.tsx";
import { RunWork } from "./run-work.tsx";
import "./messages.css";

/** A run with its work and its answer. */
export function Run(props: { view: SessionView; runId: string }) {
  const run = createMemo(() => props.view.run(props.runId));
  const texts = createMemo(() => run()?.texts ?? {});
  const thoughts = createListMemo(() =>
    Object.keys(texts()).filter((id) => texts()[id]?.channel === "thinking"),
  );
  const isActive = () => run()?.status === "running" || run()?.status === "waiting";
  const answer = createMemo(() => props.view.answerText(props.runId));
  const approvals = createListMemo(() => props.view.approvals().filter((each) => each.runId === props.runId));
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

function Thinking(props: { text: string; isOpen: boolean }) {
  return (
    <Disclosure
      class="thinking"
      summary={<span classList={{ alive: props.isOpen }}>{t().conversation.thinking}</span>}
    >
      <div class="thinking-text">{props.text}</div>
    </Disclosure>
  );
}

function RunFoot(props: { view: SessionView; runId: string; answer: string }) {
  const { engine } = useParley();
  const phase = createMemo(() => {
    const run = props.view.run(props.runId);
    return run && phaseOf(run, { now: 0, heardAt: 0, isCancelling: false });
  });
  const ending = () => {
    const current = phase();
    return current && "reason" in current ? current : undefined;
  };
  return (
    <footer class="run-foot">
      <Show when={ending()}>
        {(end) => (
          <p class="ending" data-phase={end().name}>
            <strong>{t().phase[end().name]}</strong> {end().reason}
          </p>
        )}
      </Show>
      <div class="run-actions">
        <Show when={props.answer !== ""}>
          <CopyButton label={t().markdown.copy} text={() => props.answer} />
        </Show>
        <A class="quiet-button" href={`/${props.view.id()}/trace/${props.runId}`}>
          <Icon name="trace" />
          {t().trace.title}
        </A>
        <Button
          kind="quiet"
          label={t().app.retry}
          onClick={() => engine.retry(props.view.id(), props.runId)}
          icon="retry"
        />
        <ForkButton messageId={props.view.answer(props.runId)?.id} />
        <BranchWalker place={placeOfRun(props.view, props.runId)} />
      </div>
    </footer>
  );
}
