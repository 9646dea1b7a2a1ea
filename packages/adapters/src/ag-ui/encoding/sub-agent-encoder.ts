import { type Event, EventType } from "@ag-ui/core";
import type { EventOf } from "@parley/sessions";
import type { ToolCallEncoder } from "./tool-call-encoder.ts";

interface Invocation {
  readonly id: string;
  readonly agent: string;
  readonly parentCallId: string;
  /** Whether this stream has sent its start, and its end. */
  isBegun: boolean;
  isEnded: boolean;
}

/** How a stream ends for the sub-agents that are at work. */
export type Parting =
  | { readonly type: "success" }
  | { readonly type: "suspended"; readonly interruptIds: ReadonlyMap<string, readonly string[]> }
  | { readonly type: "error"; readonly message: string; readonly code: string };

/** Encodes sub-agents: each starts with its first event, and ends when its call has ended. */
export class SubAgentEncoder {
  readonly #runId: string;
  readonly #calls: ToolCallEncoder;
  readonly #sink: EventSink;
  readonly #invocations = new Map<string, Invocation>();

  constructor(runId: string, calls: ToolCallEncoder, sink: EventSink) {
    this.#runId = runId;
    this.#calls = calls;
    this.#sink = sink;
  }

  whose({
    agent,
    parentCallId,
  }: {
    readonly agent?: string | undefined;
    readonly parentCallId?: string | undefined;
  }): Whose {
    if (parentCallId === undefined) return {};
    const name = agent ?? "agent";
    const key = JSON.stringify([name, parentCallId]);
    const invocation = this.#invocations.get(key) ?? this.#add(key, name, parentCallId);
    if (!invocation.isBegun && !invocation.isEnded) this.#begin(invocation);
    return { subagentRunId: invocation.id };
  }

  /** The call by which an agent was asked has ended, and so has the agent's work. */
  ended({ callId, agent, outcome, text }: EventOf<"agent_tool_result">): void {
    for (const one of this.#invocations.values()) {
      if (one.parentCallId !== callId || one.isEnded || (agent !== undefined && one.agent !== agent))
        continue;
      if (one.isBegun) {
        if (outcome === "succeeded") this.#part(one, { type: "success" });
        else this.#part(one, { type: "error", message: text ?? outcome, code: outcome });
      }
      one.isEnded = true;
    }
  }

  /** The stream ends: nobody is left at work in it. */
  part(parting: Parting): void {
    for (const one of [...this.#invocations.values()].toReversed())
      if (one.isBegun && !one.isEnded) this.#part(one, parting);
  }

  /** Another stream has sent those until now. */
  goOn(): void {
    for (const one of this.#invocations.values()) one.isBegun = false;
  }

  #add(key: string, agent: string, parentCallId: string): Invocation {
    const id = `${this.#runId}-agent-${this.#invocations.size + 1}`;
    const invocation = { id, agent, parentCallId, isBegun: false, isEnded: false };
    this.#invocations.set(key, invocation);
    return invocation;
  }

  #begin(invocation: Invocation): void {
    const { id, agent, parentCallId } = invocation;
    const call = this.#calls.idOf(parentCallId);
    const parent = [...this.#invocations.values()].find((one) => one.id === call?.subagentRunId);
    this.#sink.emit({
      ...{ type: EventType.SUBAGENT_STARTED, subagentRunId: id, name: agent },
      ...(call && { parentToolCallId: call.id }),
      // Only a parent that this stream has sent may be named, and call ids could make an agent its own parent.
      ...(parent?.isBegun && { parentSubagentRunId: parent.id }),
    });
    invocation.isBegun = true;
  }

  #part({ id: subagentRunId }: Invocation, parting: Parting): void {
    if (parting.type === "error") {
      const { message, code } = parting;
      this.#sink.emit({ type: EventType.SUBAGENT_ERROR, subagentRunId, message, code });
      return;
    }
    const interruptIds = parting.type === "suspended" ? (parting.interruptIds.get(subagentRunId) ?? []) : [];
    const outcome = {
      type: parting.type,
      ...(interruptIds.length > 0 && { interruptIds: [...interruptIds] }),
    };
    this.#sink.emit({ type: EventType.SUBAGENT_FINISHED, subagentRunId, outcome });
  }
}

/** Where the parts of a run's encoder put their events. */
export interface EventSink {
  emit(event: Event): void;
  /** Sends all messages again, because the client's version of one of them is no longer valid. */
  emitMessages(): void;
}

/** Whose work something is: the sub-agent's invocation, or nothing for the agent that runs. */
export interface Whose {
  readonly subagentRunId?: string;
}
