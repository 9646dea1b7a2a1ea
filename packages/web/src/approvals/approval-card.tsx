import type { Answer, Approval } from "@parley/client";
import { type JSX, Show } from "solid-js";
import { Disclosure } from "../app/disclosure.tsx";
import { isTextField } from "../app/keys.ts";
import { t } from "../app/strings/language.ts";
import { useApprovalAnswers } from "./approval-answers.ts";
import { ApprovalOutcome } from "./approval-outcome.tsx";
import { useInbox } from "./inbox.ts";
import { NoticeOffer } from "./notice-offer.tsx";
import { PermissionForm } from "./permission-form.tsx";
import { QuestionForm } from "./question-form.tsx";
import "./approval-card.css";

/** A question to the user: who asks for what, with which arguments exactly, and the answers. `y` and `n` answer it. */
export function ApprovalCard(props: {
  approval: Approval;
  isOpen: boolean;
  /** Where it comes from, if that is not where it is shown. */
  origin?: JSX.Element;
  onAnswered?: () => void;
}) {
  const inbox = useInbox();
  const answers = useApprovalAnswers(() => props.approval);
  let press: ((key: "y" | "n") => void) | undefined;
  const agent = () => props.approval.agent ?? t().approvals.someone;
  const title = () => {
    const { tool } = props.approval;
    return tool === undefined
      ? t().approvals.asks(agent())
      : t().approvals.wants(agent(), tool.replaceAll("__", " · "));
  };
  const isWaiting = () => props.isOpen && !props.approval.decision;
  const give = (answer: Answer) => {
    answers.give(answer);
    props.onAnswered?.();
  };
  const always = () => {
    answers.always(inbox.open());
    props.onAnswered?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isWaiting() || event.metaKey || event.ctrlKey || event.altKey || isTextField(event.target)) return;
    const key = event.key.toLowerCase();
    if (key !== "y" && key !== "n") return;
    event.preventDefault();
    press?.(key);
  };
  return (
    <article
      class="approval"
      classList={{ waiting: isWaiting() }}
      aria-label={title()}
      aria-keyshortcuts={isWaiting() && props.approval.tool !== undefined ? "y n" : undefined}
      tabindex={isWaiting() ? 0 : undefined}
      onKeyDown={onKeyDown}
    >
      <Show
        when={isWaiting()}
        fallback={
          <>
            <Disclosure summary={<strong>{title()}</strong>}>
              <p class="approval-question">{props.approval.question}</p>
              <Show when={props.approval.arguments !== undefined}>
                <pre class="value">{JSON.stringify(props.approval.arguments, null, 2)}</pre>
              </Show>
            </Disclosure>
            <ApprovalOutcome approval={props.approval} answers={answers} />
            {props.origin}
          </>
        }
      >
        <header class="approval-head">
          <strong>{title()}</strong>
          {props.origin}
        </header>
        <Show when={!isSaidByArguments(props.approval)}>
          <p class="approval-question">{props.approval.question}</p>
        </Show>
        <Show when={answers.refusal()}>
          {(reason) => (
            <p class="approval-problem small" role="alert">
              {t().approvals.refused(reason())}
            </p>
          )}
        </Show>
        <Show when={props.approval.tool !== undefined} fallback={<QuestionForm onAnswer={give} />}>
          <PermissionForm
            approval={props.approval}
            onAnswer={give}
            onAlways={always}
            keys={(given) => {
              press = given;
            }}
          />
        </Show>
        <NoticeOffer />
      </Show>
    </article>
  );
}

/** Whether the question is the one that our agents ask: what it says is in the title and the arguments, and easier to read there. */
function isSaidByArguments({ question, tool, arguments: given }: Approval): boolean {
  return (
    tool !== undefined &&
    question.endsWith(`May I call ${tool} with ${JSON.stringify(given)}? Answer yes or no.`)
  );
}
