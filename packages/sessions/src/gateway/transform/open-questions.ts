import type { EventOf } from "../../domain/session-event.ts";
import type { Question } from "./question.ts";

const BEGUN_ANEW = "The agent began anew, and asks again if it has to.";

/** What an agent has asked in a run, each question once, however often it is told. */
export class OpenQuestions {
  readonly #runId: string;
  readonly #asked = new Map<string, Question & { readonly approvalId: string; answered: boolean }>();
  #count = 0;
  #waiting: string | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** The question without whose answer the agent does not go on. */
  get waitingFor(): string | undefined {
    return this.#waiting;
  }

  get(approvalId: string): Question | undefined {
    return [...this.#asked.values()].find((question) => question.approvalId === approvalId);
  }

  /** Takes a question; undefined where it was answered, and otherwise the event where it is new. */
  ask(question: Question, waits: boolean): { readonly event?: EventOf<"approval_requested"> } | undefined {
    const known = this.#asked.get(question.key);
    if (known?.answered) return undefined;
    const approvalId = known?.approvalId ?? `${this.#runId}-ask-${++this.#count}`;
    if (waits) this.#waiting = approvalId;
    if (known) return {};
    this.#asked.set(question.key, { ...question, approvalId, answered: false });
    return { event: { ...question.asked, runId: this.#runId, approvalId } };
  }

  answered(approvalId: string): void {
    for (const question of this.#asked.values())
      if (question.approvalId === approvalId) question.answered = true;
    if (this.#waiting === approvalId) this.#waiting = undefined;
  }

  /** The agent works, or has ended. */
  goesOn(): void {
    this.#waiting = undefined;
  }

  /** Closes what is open, because the agent begins anew. */
  close(): readonly EventOf<"approval_answered">[] {
    const open = [...this.#asked.values()].filter(({ answered }) => !answered);
    this.#asked.clear();
    this.#waiting = undefined;
    return open.map(({ approvalId }) => {
      const answer = { type: "approval_answered", decision: "denied", text: BEGUN_ANEW } as const;
      return { ...answer, runId: this.#runId, approvalId };
    });
  }
}
