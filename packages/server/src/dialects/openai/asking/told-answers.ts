import { isEnded, type Principal, type Run, type Sessions } from "@parley/sessions";

/**
 * Which parts of runs their clients have to the end: what comes before and after questions are parts. It is recorded
 * beside the session, so it holds on all nodes; here it holds as soon as the answer has left.
 */
export class ToldAnswers {
  readonly #sessions: Pick<Sessions, "mark" | "marks">;
  /** What is being recorded. */
  readonly #leaving = new Set<string>();

  constructor(sessions: Pick<Sessions, "mark" | "marks">) {
    this.#sessions = sessions;
  }

  /** A client of ours waits for it from now on. */
  ask(principal: Principal, sessionId: string, runId: string): Promise<void> {
    return this.#sessions.mark(principal, sessionId, askedMark(runId));
  }

  /** The client has it. */
  async tell(principal: Principal, sessionId: string, runId: string, part: number): Promise<void> {
    const mark = markOf(runId, part);
    this.#leaving.add(mark);
    try {
      await this.#sessions.mark(principal, sessionId, mark);
    } finally {
      this.#leaving.delete(mark);
    }
  }

  async isTold(principal: Principal, sessionId: string, runId: string, part: number): Promise<boolean> {
    const mark = markOf(runId, part);
    return this.#leaving.has(mark) || (await this.#sessions.marks(principal, sessionId)).has(mark);
  }

  /**
   * Whether a run is on its way to its client still, so that asking again is asking for the same. What was asked and
   * answered through other doors has reached those who asked.
   */
  async isOnItsWay(principal: Principal, sessionId: string, run: Run): Promise<boolean> {
    if (!isEnded(run)) return true;
    const isAsked = (await this.#sessions.marks(principal, sessionId)).has(askedMark(run.id));
    return isAsked && !(await this.isTold(principal, sessionId, run.id, 0));
  }
}

function askedMark(runId: string): string {
  return `openai:asked:${runId}`;
}

function markOf(runId: string, part: number): string {
  return `openai:told:${runId}:${part}`;
}
