import type { EventOf } from "@parley/client";
import { RecordedMoments } from "./recorded-moments.ts";
import type { RecordedCall, RecordedPlan } from "./recording.ts";

/** A call, and those that had ended when it started. */
export interface PlacedCall {
  readonly id: string;
  readonly after: readonly PlacedCall[];
}

/** Calls of one round run in parallel, in the order of their places. */
interface CallPlace {
  readonly round: number;
  readonly place: number;
}

/** The round and place of each call, given in starting order; independent of how long each took. */
export function callRounds<Call extends PlacedCall>(
  calls: readonly Call[],
  plans: readonly RecordedPlan[],
): Map<PlacedCall, CallPlace> {
  const stepOf = stepFinder(plans);
  const places = new Map<PlacedCall, CallPlace>();
  for (const call of calls) {
    const { place = 0, needs = [] } = stepOf(call.id) ?? {};
    const first = [...places.keys()].filter(({ id }) => id === call.id || needs.includes(id));
    // Which other steps have ended when this one starts is chance: only its dependencies count.
    const before = first.length > 0 ? first : call.after;
    places.set(call, { round: 1 + Math.max(0, ...before.map((one) => places.get(one)?.round ?? 0)), place });
  }
  return places;
}

/** Finds the plan step of a call: a call's id is that of the plan's own call, a dot, and the step's id. */
function stepFinder(plans: readonly RecordedPlan[]) {
  const found = new Map<string, RecordedPlan>();
  return (callId: string): { readonly place: number; readonly needs: readonly string[] } | undefined => {
    const [, planCall = "", stepId] = /^([^.]*)\.(.*)$/s.exec(callId) ?? [];
    // Plans run one after the other, and may use the same step ids.
    const left = plans.filter((plan) => ![...found.values()].includes(plan));
    const plan = found.get(planCall) ?? left.find((steps) => steps.some(({ id }) => id === stepId));
    const place = plan?.findIndex(({ id }) => id === stepId) ?? -1;
    if (!plan || place < 0) return undefined;
    found.set(planCall, plan);
    return { place, needs: plan[place]?.dependencies.map((id) => `${planCall}.${id}`) ?? [] };
  };
}

interface CallRecord {
  readonly id: string;
  readonly agent: string;
  readonly request: string;
  readonly moments: RecordedMoments;
  /** The answer's length when it started: what follows is this call's, if it is the only one. */
  readonly answerBefore: number;
  readonly after: readonly CallRecord[];
  end?: { readonly state: RecordedCall["state"]; readonly reason?: string | undefined };
}

const STATES = {
  succeeded: "completed",
  failed: "failed",
  canceled: "canceled",
  unknown: "unknown",
} as const;

/** How `Delegation` reports that it asks another agent instead. */
const INSTEAD = /^↪️ Agent (.*?) failed: (.*)\nAgent .* is asked instead\.$/s;

/** The supervisor's calls to agents in one run, collected from its events. */
export class RecordedCalls {
  readonly #calls: CallRecord[] = [];

  /** The moments of the named call, or else of the open call of that agent. */
  of(parentCallId: string | undefined, agent: string | undefined): RecordedMoments | undefined {
    return (this.#last(parentCallId) ?? this.#open().find((call) => call.agent === agent))?.moments;
  }

  /** The only open call: text in the answer meanwhile is its agent's. */
  get only(): Pick<CallRecord, "moments" | "answerBefore"> | undefined {
    const [only, ...others] = this.#open();
    return others.length === 0 ? only : undefined;
  }

  /** Records a call to an agent; returns false for a tool call. */
  begin(payload: EventOf<"agent_tool_call">["payload"], answerBefore: number): boolean {
    const { callId: id, tool, agent, parentCallId, arguments: given } = payload;
    const request = requestIn(given);
    if (agent === undefined || agent !== tool || parentCallId !== undefined || request === undefined)
      return false;
    const after = this.#calls.filter(({ end }) => end);
    this.#calls.push({ id, agent, request, moments: new RecordedMoments(agent), answerBefore, after });
    return true;
  }

  /** Records the end of a call to an agent; returns false for a tool call. */
  end(payload: EventOf<"agent_tool_result">["payload"]): boolean {
    const { callId, parentCallId, outcome, result, text = "" } = payload;
    const call = parentCallId === undefined ? this.#last(callId) : undefined;
    if (!call) return false;
    const state = STATES[outcome];
    // Older servers send only the first line of the reason, within a sentence.
    const why = typeof result === "string" ? result : (/ s\): (.*)\n?$/.exec(text)?.[1] ?? "");
    call.end = { state, reason: (state !== "completed" && why) || undefined };
    return true;
  }

  /** Reads a status text: an agent may have failed, and another is asked instead. */
  acceptStatus(text: string): void {
    const [, titled, reason = ""] = INSTEAD.exec(text) ?? [];
    const call = this.#open().find(({ agent }) => agent.toLowerCase() === titled?.toLowerCase());
    if (call) call.end = { state: "failed", reason };
  }

  /** All calls by round, and within a round in the order of the plan, or else as they started. */
  recorded(plans: readonly RecordedPlan[], answerId: string | undefined): RecordedCall[] {
    const places = callRounds(this.#calls, plans);
    const at = (call: CallRecord) => places.get(call) ?? { round: 1, place: 0 };
    const ordered = this.#calls.toSorted(
      (one, other) => at(one).round - at(other).round || at(one).place - at(other).place,
    );
    return ordered.map((call) => ({
      agent: call.agent,
      round: at(call).round,
      request: call.request,
      does: call.moments.moments(answerId),
      ...(call.end ?? { state: "unknown" as const }),
    }));
  }

  #last(callId: string | undefined): CallRecord | undefined {
    return this.#calls.findLast(({ id }) => id === callId);
  }

  #open(): CallRecord[] {
    return this.#calls.filter(({ end }) => !end);
  }
}

function requestIn(given: unknown): string | undefined {
  const request = (given as { readonly request?: unknown } | undefined)?.request;
  return typeof request === "string" ? request : undefined;
}
