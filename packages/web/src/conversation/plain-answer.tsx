import { createMemo, Show } from "solid-js";
import type { SessionView } from "../app/session-view.ts";
import { RunFiles } from "../artifacts/run-files.tsx";
import { placeOfAnswer } from "../branches/answer-place.ts";
import { BranchWalker } from "../branches/branch-walker.tsx";
import { ForkButton } from "../branches/fork-button.tsx";
import { AnswerText } from "./answer-text.tsx";

/** An answer whose run is in another session, of which this one is a fork. */
export function PlainAnswer(props: { view: SessionView; messageId: string }) {
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
