import "./approval-card.css";
import {
  type Answer,
  type Approval,
  type Configuration,
  type SyncState,
  targetOf,
  toolName,
} from "@parley/client";
import { createSignal, type JSX, Show } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { Button } from "../app/button.tsx";
import { Disclosure } from "../app/disclosure.tsx";
import { submitted } from "../app/fields.tsx";
import { isTextField } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { isAllowed, isSame, withoutAllowed } from "./allowed-tools.ts";
import { useInbox } from "./inbox.ts";
import { noticeStanding, turnNoticesOn } from "./notices.ts";
import { PermissionForm } from "./permission-form.tsx";

/** An approval or a question for the user; `y` and `n` answer an approval. */
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
  const wish = () => wishOf(props.approval);
  const title = () => [agent(), wish().before, wish().target, wish().after].join("");
  const Title = () => (
    <span>
      <strong>{agent()}</strong>
      {wish().before}
      <Show when={wish().target}>{(target) => <code>{target()}</code>}</Show>
      {wish().after}
    </span>
  );
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
            <Disclosure summary={<Title />}>
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
          <Title />
          {props.origin}
        </header>
        <Show when={!isSaidByArguments(props.approval)}>
          <p class="approval-question">{props.approval.question}</p>
        </Show>
        <Alert class="bad small" reason={answers.refusal()} text={t().approvals.refused} />
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

function wishOf({ tool, arguments: given }: Approval): { before: string; target: string; after: string } {
  if (tool === undefined) return { before: t().approvals.asks, target: "", after: "" };
  const name = toolName(tool);
  const { wants } = t().approvals;
  const target = Object.hasOwn(wants, name) ? targetOf(given) : "";
  const [before = "", after = ""] = target === "" ? wants.other : wants[name as keyof typeof wants];
  return { before, target: target || name, after };
}

/** Whether the question is our agents' standard one, which the title and the arguments already say. */
function isSaidByArguments({ question, tool, arguments: given }: Approval): boolean {
  return (
    tool !== undefined &&
    question.endsWith(`May I call ${tool} with ${JSON.stringify(given)}? Answer yes or no.`)
  );
}

/** Offers desktop notifications until the user has decided about them. */
function NoticeOffer() {
  return (
    <Show when={noticeStanding() === "unasked"}>
      <Button
        kind="quiet"
        class="notice-offer"
        label={t().approvals.notify}
        onClick={() => void turnNoticesOn()}
        icon="bell"
      />
    </Show>
  );
}

function ApprovalOutcome(props: { approval: Approval; answers: ReturnType<typeof useApprovalAnswers> }) {
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
          <Button kind="link" label={t().approvals.askAgain} onClick={props.answers.askAgain} />
        </Show>
      </p>
      <Show when={answer()?.arguments !== undefined}>
        <p class="muted small">{t().approvals.changed}</p>
        <pre class="value">{JSON.stringify(answer()?.arguments, null, 2)}</pre>
      </Show>
    </>
  );
}

function QuestionForm(props: { onAnswer: (answer: Answer) => void }) {
  const [text, setText] = createSignal("");
  const send = () => {
    if (text().trim() !== "") props.onAnswer({ decision: "answered", text: text().trim() });
  };
  return (
    <form class="question-form" onSubmit={submitted(send)}>
      <textarea
        class="approval-reason"
        rows="2"
        aria-label={t().approvals.answer}
        placeholder={t().approvals.answer}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <Button type="submit" kind="primary" label={t().approvals.send} disabled={text().trim() === ""} />
    </form>
  );
}

function useApprovalAnswers(approval: () => Approval) {
  const { engine, state } = useParley();
  const config = () => sessionConfig(state(), approval().sessionId);
  const refused = () =>
    state().queue.find(
      ({ command, phase }) =>
        command.type === "answer" && command.approvalId === approval().id && phase.name === "refused",
    );
  const give = (answer: Answer, { sessionId, id } = approval()) => {
    const before = refused();
    if (before) engine.discardCommand(before.key);
    engine.answer(sessionId, id, answer);
  };
  return {
    give,
    /** Approves it, and everything that the same agent asks about the same tool in this session. */
    always(waiting: readonly Approval[]) {
      const { sessionId, id } = approval();
      const same = waiting.filter((each) => each.sessionId === sessionId && isSame(each, approval()));
      for (const each of same)
        if (each.id !== id) engine.answer(sessionId, each.id, { decision: "approved" });
      give({ decision: "approved", always: true });
    },
    askAgain() {
      const known = config();
      if (known) engine.change(approval().sessionId, { config: withoutAllowed(known, approval()) });
    },
    isAlways() {
      const known = config();
      return known !== undefined && isAllowed(known, approval());
    },
    refusal() {
      const phase = refused()?.phase;
      return phase?.name === "refused" ? phase.refusal.message : undefined;
    },
  };
}

/**
 * The configuration of a session that is open, as it will be when all that is on its way has arrived; undefined where
 * it is not known. It is always replaced as a whole.
 */
function sessionConfig({ open, queue }: SyncState, sessionId: string): Configuration | undefined {
  return queue
    .filter(({ command, phase }) => command.sessionId === sessionId && phase.name !== "refused")
    .reduce(
      (config, { command }) => (command.type === "change" ? (command.config ?? config) : config),
      open[sessionId]?.record.config,
    );
}
