import { isDeepStrictEqual } from "node:util";
import { callIdentity, type EventOf } from "@parley/sessions";
import type { UiChunk } from "./ui-chunk.ts";

type Call = EventOf<"agent_tool_call"> | EventOf<"agent_tool_result">;

/** The tool calls and questions of a run; a call and the question about it are one part. */
export class ToolParts {
  readonly #byCall = new Map<string, ToolPart>();
  readonly #byId = new Map<string, ToolPart>();
  /** Questions whose tool was not called yet. */
  readonly #askedOnly = new Set<ToolPart>();

  get all(): Iterable<ToolPart> {
    return this.#byId.values();
  }

  get(approvalId: string): ToolPart | undefined {
    return this.#byId.get(approvalId);
  }

  asks(asked: EventOf<"approval_requested">): ToolPart {
    const { approvalId, tool, arguments: input, question } = asked;
    const part = this.#add({
      ...{ id: approvalId, name: tool ?? "question", asked, ...about(asked) },
      input: tool === undefined ? { question } : (input ?? {}),
    });
    this.#askedOnly.add(part);
    return part;
  }

  /** The part of a new call; undefined where the call or the question about it has one already. */
  calls(call: EventOf<"agent_tool_call">): ToolPart | undefined {
    const identity = callIdentity(call);
    if (this.#byCall.has(identity)) return undefined;
    for (const asked of this.#askedOnly) {
      if (!isAbout(asked, call)) continue;
      this.#askedOnly.delete(asked);
      this.#byCall.set(identity, asked);
      return undefined;
    }
    return this.#call(call, call.tool, call.arguments ?? {});
  }

  ended(result: EventOf<"agent_tool_result">): { readonly part: ToolPart; readonly isNew: boolean } {
    const known = this.#byCall.get(callIdentity(result));
    return known ? { part: known, isNew: false } : { part: this.#call(result, "tool", {}), isNew: true };
  }

  #call(call: Call, name: string, input: unknown): ToolPart {
    const part = this.#add({
      id: this.#freeId(callOf(call.runId, call.callId)),
      name,
      input,
      ...about(call),
    });
    this.#byCall.set(callIdentity(call), part);
    return part;
  }

  #add(part: ToolPart): ToolPart {
    this.#byId.set(part.id, part);
    return part;
  }

  // Two agents may use the same id; clients look for parts by it.
  #freeId(callId: string): string {
    for (let count = 2, id = callId; ; id = `${callId}#${count++}`) if (!this.#byId.has(id)) return id;
  }
}

function callOf(runId: string, callId: string): string {
  return `${runId}-${callId}`;
}

function about({
  runId,
  agent,
  parentCallId,
}: Pick<Call, "runId" | "agent" | "parentCallId">): Pick<ToolPart, "metadata"> {
  if (agent === undefined && parentCallId === undefined) return {};
  return { metadata: { agent, parentCallId: parentCallId && callOf(runId, parentCallId) } };
}

function isAbout({ asked, answer, outcome }: ToolPart, call: EventOf<"agent_tool_call">): boolean {
  if (!asked || !answer || (outcome && outcome !== "denied")) return false;
  return (
    asked.tool === call.tool &&
    // The run's own agent names itself in questions only.
    (call.agent === undefined || asked.agent === call.agent) &&
    asked.parentCallId === call.parentCallId &&
    isDeepStrictEqual(asked.arguments ?? {}, call.arguments ?? {})
  );
}

type Outcome = { readonly output: unknown } | { readonly errorText: string } | "denied";

/** A tool call, or a question to a person, as one part of a message. */
export interface ToolPart {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly asked?: EventOf<"approval_requested">;
  answer?: EventOf<"approval_answered">;
  outcome?: Outcome;
}

const OURS = { dynamic: true, providerExecuted: true } as const;

export function isPending({ asked, answer, outcome }: ToolPart): boolean {
  return asked !== undefined && !answer && !outcome;
}

/** All frames of the part so far. */
export function* toolChunks(part: ToolPart): Generator<UiChunk> {
  const { id, name, input, metadata, asked, answer } = part;
  yield {
    ...{ type: "tool-input-available", toolCallId: id, toolName: name, input, ...OURS },
    ...(metadata && { toolMetadata: metadata }),
  };
  if (asked) yield { type: "tool-approval-request", approvalId: id, toolCallId: id, reason: asked.question };
  if (answer) yield answerChunk(part, answer);
  yield* outcomeChunks(part);
}

export function answerChunk({ id }: ToolPart, { decision, text }: EventOf<"approval_answered">): UiChunk {
  const approved = decision !== "denied";
  return {
    ...{ type: "tool-approval-response", approvalId: id, approved, providerExecuted: true },
    ...(text !== undefined && { reason: text }),
  };
}

export function* outcomeChunks({ id, outcome }: ToolPart): Generator<UiChunk> {
  if (outcome === "denied") yield { type: "tool-output-denied", toolCallId: id };
  else if (outcome && "output" in outcome)
    yield { type: "tool-output-available", toolCallId: id, output: outcome.output, ...OURS };
  else if (outcome)
    yield { type: "tool-output-error", toolCallId: id, errorText: outcome.errorText, ...OURS };
}

export function outcomeOf({ outcome, result, text }: EventOf<"agent_tool_result">): Outcome {
  if (outcome === "succeeded") return { output: result ?? text ?? null };
  const words = { failed: "It failed", canceled: "It was cancelled", unknown: "Nobody saw how it ended" };
  return { errorText: text ?? (result === undefined ? words[outcome] : resultText(result)) };
}

/** The outcome of a part that the run ended without: no client may wait for more. */
export function lastOutcome({ answer }: ToolPart): Outcome {
  return answer ? { output: { decision: answer.decision } } : { errorText: "The run ended before this did" };
}

function resultText(result: unknown): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}
