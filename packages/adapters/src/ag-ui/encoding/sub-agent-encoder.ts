import { type Event, EventType } from "@ag-ui/core";
import type { EventOf } from "@parley/sessions";
import type { ToolCallEncoder } from "./tool-call-encoder.ts";

interface Invocation {
  readonly id: string;
  readonly agent: string;
  readonly parentCallId: string;
  isBegun: boolean;
  isEnded: boolean;
}

/** How a stream ends for the sub-agents that are still working. */
export type StreamEnding =
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

  subAgentOf({
    agent,
    parentCallId,
  }: {
    readonly agent?: string | undefined;
    readonly parentCallId?: string | undefined;
  }): SubAgentRef {
    if (parentCallId === undefined) return {};
    const name = agent ?? "agent";
    const key = JSON.stringify([name, parentCallId]);
    const invocation = this.#invocations.get(key) ?? this.#add(key, name, parentCallId);
    if (!invocation.isBegun && !invocation.isEnded) this.#begin(invocation);
    return { subagentRunId: invocation.id };
  }

  /** Ends the sub-agents whose call has ended. */
  ended({ callId, agent, outcome, text }: EventOf<"agent_tool_result">): void {
    for (const one of this.#invocations.values()) {
      if (one.parentCallId !== callId || one.isEnded || (agent !== undefined && one.agent !== agent))
        continue;
      if (one.isBegun) {
        if (outcome === "succeeded") this.#end(one, { type: "success" });
        else this.#end(one, { type: "error", message: text ?? outcome, code: outcome });
      }
      one.isEnded = true;
    }
  }

  /** Ends all open sub-agents because the stream ends. */
  endAll(ending: StreamEnding): void {
    for (const one of [...this.#invocations.values()].toReversed())
      if (one.isBegun && !one.isEnded) this.#end(one, ending);
  }

  /** Marks the sub-agents until now as sent by another stream. */
  markSent(): void {
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

  #end({ id: subagentRunId }: Invocation, ending: StreamEnding): void {
    if (ending.type === "error") {
      const { message, code } = ending;
      this.#sink.emit({ type: EventType.SUBAGENT_ERROR, subagentRunId, message, code });
      return;
    }
    const interruptIds = ending.type === "suspended" ? (ending.interruptIds.get(subagentRunId) ?? []) : [];
    const outcome = {
      type: ending.type,
      ...(interruptIds.length > 0 && { interruptIds: [...interruptIds] }),
    };
    this.#sink.emit({ type: EventType.SUBAGENT_FINISHED, subagentRunId, outcome });
  }
}

/** Receives the events of a run's encoders. */
export interface EventSink {
  emit(event: Event): void;
  /** Sends all messages again, because the client's version of one of them is no longer valid. */
  emitMessages(): void;
}

/** The sub-agent that an event belongs to; empty for the run's own agent. */
export interface SubAgentRef {
  readonly subagentRunId?: string;
}
