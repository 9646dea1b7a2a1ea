import type { EventOf } from "@parley/sessions";
import type { UiChunk } from "./ui-chunk.ts";

type Outcome =
  | { readonly output: unknown }
  | { readonly errorText: string }
  /** A person said no. */
  | "denied";

/** A use of a tool, or a question to a person, as one part of a message. */
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

/** Whether it waits for a person. */
export function isPending({ asked, answer, outcome }: ToolPart): boolean {
  return asked !== undefined && !answer && !outcome;
}

/** The part from nothing to how it is now. */
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

/** What a person said to it. */
export function answerChunk({ id }: ToolPart, { decision, text }: EventOf<"approval_answered">): UiChunk {
  const approved = decision !== "denied";
  return {
    ...{ type: "tool-approval-response", approvalId: id, approved, providerExecuted: true },
    ...(text !== undefined && { reason: text }),
  };
}

/** How it ended, if it has. */
export function* outcomeChunks({ id, outcome }: ToolPart): Generator<UiChunk> {
  if (outcome === "denied") yield { type: "tool-output-denied", toolCallId: id };
  else if (outcome && "output" in outcome)
    yield { type: "tool-output-available", toolCallId: id, output: outcome.output, ...OURS };
  else if (outcome)
    yield { type: "tool-output-error", toolCallId: id, errorText: outcome.errorText, ...OURS };
}

/** How a call ended, as the record has it. */
export function outcomeOf({ outcome, result, text }: EventOf<"agent_tool_result">): Outcome {
  if (outcome === "succeeded") return { output: result ?? text ?? null };
  const words = { failed: "It failed", canceled: "It was cancelled", unknown: "Nobody saw how it ended" };
  return { errorText: text ?? (result === undefined ? words[outcome] : told(result)) };
}

/** How it ends with the run, where nothing else was told: no client is to wait for more. */
export function lastOutcome({ answer }: ToolPart): Outcome {
  return answer ? { output: { decision: answer.decision } } : { errorText: "The run ended before this did" };
}

function told(result: unknown): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}
