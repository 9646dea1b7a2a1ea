import type { Approval } from "@parley/client";
import { Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import type { ApprovalAnswers } from "./approval-answers.ts";

/** What became of an approval: who decided what, and what can be changed about that for the next time. */
export function ApprovalOutcome(props: { approval: Approval; answers: ApprovalAnswers }) {
  const answer = () => props.approval.answer;
  const words = () => {
    const { decision } = props.approval;
    if (!decision) return t().approvals.closed;
    return answer()?.always ? t().approvals.automatic : t().approvals[decision];
  };
  return (
    <>
      <p class="muted small approval-outcome">
        {words()}
        <Show when={answer()?.text}>{(text) => <q>{text()}</q>}</Show>
        <Show when={props.approval.decision === "approved" && props.answers.isAlways()}>
          <button type="button" class="link-button" onClick={props.answers.askAgain}>
            {t().approvals.askAgain}
          </button>
        </Show>
      </p>
      <Show when={answer()?.arguments !== undefined}>
        <p class="muted small">{t().approvals.changed}</p>
        <pre class="value">{JSON.stringify(answer()?.arguments, null, 2)}</pre>
      </Show>
    </>
  );
}
