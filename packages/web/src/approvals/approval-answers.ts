import type { Answer, Approval } from "@parley/client";
import { useParley } from "../app/parley.ts";
import { sessionConfig } from "../app/session-config.ts";
import { isAllowed, isSame, withoutAllowed } from "./allowed-tools.ts";

/** What a user can do about one approval. */
export interface ApprovalAnswers {
  give(answer: Answer): void;
  /** Approves it, and everything that the same agent asks about the same tool in this session, now and later. */
  always(waiting: readonly Approval[]): void;
  /** Has the tool asked about again. */
  askAgain(): void;
  /** Whether it is known that the tool is not asked about; in the conversation it is. */
  isAlways(): boolean;
  /** Why the server did not take the answer; that is forgotten when there is another one. */
  refusal(): string | undefined;
}

/** The answers to an approval, in the component that calls it. */
export function useApprovalAnswers(approval: () => Approval): ApprovalAnswers {
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
    always(waiting) {
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
