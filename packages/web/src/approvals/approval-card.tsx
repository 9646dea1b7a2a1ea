import type { Approval } from "@parley/client";
import { Show } from "solid-js";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import "./approval-card.css";

/** A question to the user, in the conversation: what exactly is asked, and the two answers. */
export function ApprovalCard(props: { approval: Approval; isOpen: boolean }) {
  const { engine } = useParley();
  const answer = (decision: "approved" | "denied") =>
    engine.answer(props.approval.sessionId, props.approval.id, { decision });
  return (
    <article class="approval" aria-label={t().approvals.asks(props.approval.agent ?? "")}>
      <p class="approval-question">{props.approval.question}</p>
      <Show when={props.approval.arguments}>
        {(given) => <pre class="value">{JSON.stringify(given(), null, 2)}</pre>}
      </Show>
      <Show
        when={props.isOpen && !props.approval.decision}
        fallback={
          <p class="muted small">{props.approval.decision && t().approvals[props.approval.decision]}</p>
        }
      >
        <div class="approval-buttons">
          <button type="button" class="button primary" onClick={() => answer("approved")}>
            {t().approvals.approve}
          </button>
          <button type="button" class="button" onClick={() => answer("denied")}>
            {t().approvals.deny}
          </button>
        </div>
      </Show>
    </article>
  );
}
