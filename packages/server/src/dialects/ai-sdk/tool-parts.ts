import { isDeepStrictEqual } from "node:util";
import { callIdentity, type EventOf } from "@parley/sessions";
import type { ToolPart } from "./tool-part.ts";

type Call = EventOf<"agent_tool_call"> | EventOf<"agent_tool_result">;

/** The tools of a run and what people are asked about them: a call that was asked about and the question are one part. */
export class ToolParts {
  readonly #byCall = new Map<string, ToolPart>();
  readonly #byId = new Map<string, ToolPart>();
  /** Those that people were asked about, and that were not called yet. */
  readonly #askedOnly = new Set<ToolPart>();

  get all(): Iterable<ToolPart> {
    return this.#byId.values();
  }

  get(approvalId: string): ToolPart | undefined {
    return this.#byId.get(approvalId);
  }

  /** The part of a question, which is new. */
  asks(asked: EventOf<"approval_requested">): ToolPart {
    const { approvalId, tool, arguments: input, question } = asked;
    const part = this.#add({
      ...{ id: approvalId, name: tool ?? "question", asked, ...about(asked) },
      input: tool === undefined ? { question } : (input ?? {}),
    });
    this.#askedOnly.add(part);
    return part;
  }

  /** The part of a call; undefined where it is known, because it was asked about or told before. */
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

  /** The part of a call that has ended, and whether it is new. */
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

  // Ids are each agent's own; in a chat each is one part's, and clients look for parts by it.
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
  return {
    metadata: {
      ...(agent !== undefined && { agent }),
      ...(parentCallId !== undefined && { parentCallId: callOf(runId, parentCallId) }),
    },
  };
}

function isAbout({ asked, answer, outcome }: ToolPart, call: EventOf<"agent_tool_call">): boolean {
  if (!asked || !answer || (outcome && outcome !== "denied")) return false;
  return (
    asked.tool === call.tool &&
    asked.agent === call.agent &&
    asked.parentCallId === call.parentCallId &&
    isDeepStrictEqual(asked.arguments ?? {}, call.arguments ?? {})
  );
}
