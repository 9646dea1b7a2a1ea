import { type PeerEvent, type Provenance, UNSPECIFIED_QUESTION } from "@parley/a2a";
import type { EventOf } from "../../domain/session-event.ts";

/** What an agent asks a person, and the key by which it is known when it is repeated. */
export interface Question {
  readonly key: string;
  /** The agent's own id for it, where it is about a call of a tool. */
  readonly requestId?: string;
  readonly asked: Omit<EventOf<"approval_requested">, "approvalId" | "runId">;
}

/** Which agent below the run's own did this, and in which call. */
export function source({ agent, callId }: Partial<Provenance> = {}): {
  readonly agent?: string;
  readonly parentCallId?: string;
} {
  return { ...(agent !== undefined && { agent }), ...(callId && { parentCallId: callId }) };
}

export function questionOf(event: Extract<PeerEvent, { type: "question" }>): Question {
  const { request, origin, message, text, status } = event;
  const asked = {
    type: "approval_requested" as const,
    question: text || request?.reason || UNSPECIFIED_QUESTION,
    ...source(origin),
    ...(request && { tool: request.tool, argumentsHash: request.argumentsHash }),
    ...(request?.arguments !== undefined && { arguments: request.arguments }),
  };
  const { parentCallId = "" } = asked;
  // Each agent counts its requests by itself.
  const key = request ? `${parentCallId} ${request.id}` : message?.messageId || `${status.timestamp} ${text}`;
  return { key, asked, ...(request && { requestId: request.id }) };
}

/**
 * The question with the agent that asks. An agent could claim that another one asks, whose tools the user would then
 * allow: only the supervisor's word about the agents below it counts.
 */
export function attributed(
  asked: EventOf<"approval_requested">,
  { agent, isSupervisor }: { readonly agent: string; readonly isSupervisor: boolean },
): EventOf<"approval_requested"> {
  if (isSupervisor) return { ...asked, agent: asked.agent ?? agent };
  const { parentCallId: _, ...own } = asked;
  return { ...own, agent };
}

const BEGUN_ANEW = "The agent began anew, and asks again if it has to.";

/** The questions of a run, each once, however often the agent repeats it. */
export class OpenQuestions {
  readonly #runId: string;
  readonly #asked = new Map<string, Question & { readonly approvalId: string; answered: boolean }>();
  #count = 0;
  #waiting: string | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** The question that blocks the agent. */
  get waitingFor(): string | undefined {
    return this.#waiting;
  }

  get(approvalId: string): Question | undefined {
    return [...this.#asked.values()].find((question) => question.approvalId === approvalId);
  }

  /** Takes a question; undefined if it was answered, otherwise with the event if it is new. */
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

  goesOn(): void {
    this.#waiting = undefined;
  }

  /** Closes what is open, because the agent starts over. */
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
