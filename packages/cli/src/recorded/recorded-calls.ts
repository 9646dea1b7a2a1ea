import type { EventOf } from "@parley/client";
import { callRounds } from "./call-rounds.ts";
import { RecordedMoments } from "./recorded-moments.ts";
import type { RecordedCall, RecordedPlan } from "./recording.ts";

interface Called {
  readonly id: string;
  readonly agent: string;
  readonly request: string;
  readonly moments: RecordedMoments;
  /** How long the answer was when it began: what comes after is this call's, if it is alone. */
  readonly answerBefore: number;
  /** The calls that had ended when it began. */
  readonly after: readonly Called[];
  end?: { readonly state: RecordedCall["state"]; readonly reason?: string };
}

const STATES = {
  succeeded: "completed",
  failed: "failed",
  canceled: "canceled",
  unknown: "unknown",
} as const;

/** What the supervisor says when it asks another agent instead, as `Delegation` words it. */
const INSTEAD = /^↪️ Agent (.*?) failed: (.*)\nAgent .* is asked instead\.$/s;

/** The calls of one run of the supervisor to its agents, as its events tell. */
export class RecordedCalls {
  readonly #calls: Called[] = [];

  /** The call that something belongs to: the one that it names, or else the only open one of that agent. */
  of(parentCallId: string | undefined, agent: string | undefined): RecordedMoments | undefined {
    return (this.#last(parentCallId) ?? this.#open().find((call) => call.agent === agent))?.moments;
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
    const after = this.#calls.filter(({ end }) => end);
    this.#calls.push({ id, agent, request, moments: new RecordedMoments(agent), answerBefore, after });
    return true;
  }

  /** Takes the end of such a call; false: it is one of a tool. */
  end(payload: EventOf<"agent_tool_result">["payload"]): boolean {
    const { callId, parentCallId, outcome, result, text = "" } = payload;
    const call = parentCallId === undefined ? this.#last(callId) : undefined;
    if (!call) return false;
    const state = STATES[outcome];
    // Older servers tell only the first line of why, within a sentence.
    const why = typeof result === "string" ? result : (/ s\): (.*)\n?$/.exec(text)?.[1] ?? "");
    call.end = { state, ...(state !== "completed" && why !== "" && { reason: why }) };
    return true;
  }

  /** Hears what the supervisor says of its work: an agent may have failed, and another is asked instead. */
  hear(text: string): void {
    const [, titled, reason = ""] = INSTEAD.exec(text) ?? [];
    const call = this.#open().find(({ agent }) => agent.toLowerCase() === titled?.toLowerCase());
    if (call) call.end = { state: "failed", reason };
  }

  /** All of them: by round, and within a round as the plan has them, or else as they began. */
  recorded(plans: readonly RecordedPlan[], answerId: string | undefined): RecordedCall[] {
    const places = callRounds(this.#calls, plans);
    const at = (call: Called) => places.get(call) ?? { round: 1, place: 0 };
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

  #last(callId: string | undefined): Called | undefined {
    return this.#calls.findLast(({ id }) => id === callId);
  }

  #open(): Called[] {
    return this.#calls.filter(({ end }) => !end);
  }
}

function requestIn(given: unknown): string | undefined {
  const request = (given as { readonly request?: unknown } | undefined)?.request;
  return typeof request === "string" ? request : undefined;
}
