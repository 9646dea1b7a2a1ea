import { EventType, type Message } from "@ag-ui/core";
import { callIdentity, type EventOf } from "@parley/sessions";
import type { EventSink, SubAgentRef } from "./sub-agent-encoder.ts";

interface CallContext extends SubAgentRef {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
}

const NO_RESULT = "No result was recorded.";

/** Encodes the tool calls of a run; each has its own id, also where agents repeat theirs. */
export class ToolCallEncoder {
  readonly #runId: string;
  readonly #sink: EventSink;
  readonly #open = new Map<string, CallContext>();
  readonly #known: CallContext[] = [];
  readonly #messages: Message[] = [];

  constructor(runId: string, sink: EventSink) {
    this.#runId = runId;
    this.#sink = sink;
  }

  /** The calls in a snapshot, each followed by its result. */
  get messages(): readonly Message[] {
    const results = Map.groupBy(this.#messages, (message) =>
      message.role === "tool" ? message.toolCallId : "",
    );
    const calls = results.get("") ?? [];
    return calls.flatMap((call) => [call, ...(results.get(call.id) ?? [])]);
  }

  call(event: EventOf<"agent_tool_call">, whose: SubAgentRef): void {
    const identity = callIdentity(event);
    // A restarted agent repeats its calls: the earlier ones have no result.
    this.#settle(identity);
    this.#begin(identity, event, whose, JSON.stringify(event.arguments ?? {}));
  }

  result(event: EventOf<"agent_tool_result">, whose: SubAgentRef): void {
    const identity = callIdentity(event);
    // Some agents report results only.
    if (!this.#open.has(identity)) this.#begin(identity, { ...event, tool: "tool" }, whose, "{}");
    const { outcome, durationMs } = event;
    this.#end(identity, contentOf(event), { outcome, durationMs });
  }

  /** The id of the newest call that an agent knows by this one; calls of the agent that runs come first. */
  idOf(callId: string): Pick<CallContext, "id" | "subagentRunId"> | undefined {
    const same = this.#known.filter((call) => call.callId === callId);
    return same.findLast(({ subagentRunId }) => subagentRunId === undefined) ?? same.at(-1);
  }

  openOf(tool: string, { subagentRunId }: SubAgentRef): string | undefined {
    const calls = [...this.#open.values()];
    return calls.findLast((call) => call.tool === tool && call.subagentRunId === subagentRunId)?.id;
  }

  /** Gives open calls a result, because clients take calls without one for their own to answer. */
  settle(): void {
    for (const identity of [...this.#open.keys()]) this.#settle(identity);
  }

  #settle(identity: string): void {
    if (this.#open.has(identity)) this.#end(identity, NO_RESULT, { outcome: "unknown" });
  }

  #begin(
    identity: string,
    { callId, tool }: { readonly callId: string; readonly tool: string },
    whose: SubAgentRef,
    given: string,
  ): void {
    const id = `${this.#runId}-call-${this.#known.length + 1}`;
    const call: CallContext = { id, callId, tool, ...whose };
    this.#known.push(call);
    this.#open.set(identity, call);
    const { emit } = this.#sink;
    emit({ type: EventType.TOOL_CALL_START, toolCallId: id, toolCallName: tool, ...whose });
    emit({ type: EventType.TOOL_CALL_ARGS, toolCallId: id, delta: given });
    emit({ type: EventType.TOOL_CALL_END, toolCallId: id });
    const toolCalls = [{ id, type: "function" as const, function: { name: tool, arguments: given } }];
    this.#messages.push({ id, role: "assistant", toolCalls, ...whose });
  }

  #end(identity: string, content: string, parley: Readonly<Record<string, unknown>>): void {
    const call = this.#open.get(identity);
    if (!call) return;
    this.#open.delete(identity);
    const { id, subagentRunId } = call;
    const whose = subagentRunId === undefined ? {} : { subagentRunId };
    const result = { toolCallId: id, content, role: "tool", metadata: { parley }, ...whose } as const;
    this.#sink.emit({ type: EventType.TOOL_CALL_RESULT, messageId: `${id}-result`, ...result });
    this.#messages.push({ id: `${id}-result`, ...result });
  }
}

function contentOf({ result, text, outcome }: EventOf<"agent_tool_result">): string {
  if (typeof result === "string" && result !== "") return result;
  if (result !== undefined && result !== "") return JSON.stringify(result);
  return text ?? outcome;
}
