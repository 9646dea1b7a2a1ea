import type { EventOf } from "@parley/client";
import { RecordedMoments } from "./recorded-moments.ts";
import type { RecordedCall, RecordedPlan } from "./recording.ts";

/** A call under way, or ended. */
interface Called {
  readonly id: string;
  readonly agent: string;
  readonly request: string;
  readonly moments: RecordedMoments;
  /** How long the answer was when it began: what comes after is this call's, if it is alone. */
  readonly answerBefore: number;
  /** The calls that had ended when it began. */
  readonly after: readonly string[];
  end?: { readonly state: RecordedCall["state"]; readonly reason?: string };
}

const STATES = {
  succeeded: "completed",
  failed: "failed",
  canceled: "canceled",
  unknown: "unknown",
} as const;

/** The calls of one run of the supervisor to its agents, as its events tell. */
export class RecordedCalls {
  readonly #calls = new Map<string, Called>();

  /** The call that something belongs to: the one that it names, or else the only open one of that agent. */
  of(parentCallId: string | undefined, agent: string | undefined): RecordedMoments | undefined {
    const named = parentCallId === undefined ? undefined : this.#calls.get(parentCallId);
    return (named ?? this.#open().find((call) => call.agent === agent))?.moments;
  }

  /** The only call that is under way: what is said in the answer meanwhile is what its agent says. */
  get only(): Pick<Called, "moments" | "answerBefore"> | undefined {
    const [only, ...others] = this.#open();
    return others.length === 0 ? only : undefined;
  }

  /** Takes a call of an agent; false: it is one of a tool. */
  begin(payload: EventOf<"agent_tool_call">["payload"], answerBefore: number): boolean {
    const { callId: id, tool, agent, parentCallId, arguments: given } = payload;
    const request = requestIn(given);
    if (agent === undefined || agent !== tool || parentCallId !== undefined || request === undefined)
      return false;
    const after = [...this.#calls.values()].filter(({ end }) => end).map((call) => call.id);
    const moments = new RecordedMoments(agent);
    this.#calls.set(id, { id, agent, request, moments, answerBefore, after });
    return true;
  }

  /** Takes the end of such a call; false: it is one of a tool. */
  end({
    callId,
    parentCallId,
    outcome,
    result,
    text = "",
  }: EventOf<"agent_tool_result">["payload"]): boolean {
    const call = parentCallId === undefined ? this.#calls.get(callId) : undefined;
    if (!call) return false;
    const state = STATES[outcome];
    // Older servers tell only the first line of why, within a sentence.
    const why = typeof result === "string" ? result : (/ s\): (.*)\n?$/.exec(text)?.[1] ?? "");
    call.end = { state, ...(state !== "completed" && why !== "" && { reason: why }) };
    return true;
  }

  /** All of them: by round, and within a round as the plan has them, or else as they began. */
  recorded(plans: readonly RecordedPlan[], answerId: string | undefined): RecordedCall[] {
    const rounds = new Map<string, number>();
    const all = [...this.#calls.values()];
    for (const call of all) {
      const first = dependenciesOf(call.id, plans);
      const before = first.length > 0 ? first : call.after;
      rounds.set(call.id, 1 + Math.max(0, ...before.map((id) => rounds.get(id) ?? 0)));
    }
    const place = ({ id }: Called) => placeIn(id, plans) ?? 0;
    const round = ({ id }: Called) => rounds.get(id) ?? 1;
    const ordered = all.toSorted((one, other) => round(one) - round(other) || place(one) - place(other));
    return ordered.map((call) => ({
      ...{ agent: call.agent, round: round(call), request: call.request },
      does: call.moments.moments(answerId),
      ...(call.end ?? { state: "unknown" as const }),
    }));
  }

  #open(): Called[] {
    return [...this.#calls.values()].filter(({ end }) => !end);
  }
}

function requestIn(given: unknown): string | undefined {
  const request = (given as { readonly request?: unknown } | undefined)?.request;
  return typeof request === "string" ? request : undefined;
}

/** The plan and the step that a call carries out: its id is the plan's call, a point, and the step's id. */
function stepOf(callId: string, plans: readonly RecordedPlan[]) {
  const [, call, stepId] = /^(.*?)\.(.*)$/s.exec(callId) ?? [];
  const steps = plans.findLast((plan) => plan.some(({ id }) => id === stepId));
  const step = steps?.find(({ id }) => id === stepId);
  return steps && step && { call, steps, step };
}

// When a step that waits for others begins, it is chance which of the rest have ended: only those it waits for count.
function dependenciesOf(callId: string, plans: readonly RecordedPlan[]): string[] {
  const found = stepOf(callId, plans);
  return found?.step.dependencies.map((id) => `${found.call}.${id}`) ?? [];
}

function placeIn(callId: string, plans: readonly RecordedPlan[]): number | undefined {
  const found = stepOf(callId, plans);
  return found?.steps.indexOf(found.step);
}
