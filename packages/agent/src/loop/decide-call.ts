import { createHash } from "node:crypto";
import type { ToolCall } from "@parley/models";
import type { Conversation } from "./conversation.ts";
import type { Tool, ToolReturn } from "./tool-box.ts";

/** What is to be done about a call: make it, end it without making it, or ask a person first. */
export type Decision = ReadyDecision | { readonly ask: { readonly argumentsHash: string } };
export type ReadyDecision =
  | { readonly run: Readonly<Record<string, unknown>> }
  | { readonly end: ToolReturn };

export interface CallSituation {
  readonly tools: readonly Tool[];
  readonly conversation: Conversation;
  /** The calls that may have been under way when a crash came. */
  readonly interrupted: ReadonlySet<string>;
}

/** Decides about one call of a model's turn. */
export function decideCall(
  { id, tool: name, arguments: given, text }: ToolCall,
  { tools, conversation, interrupted }: CallSituation,
): Decision {
  const tool = tools.find((one) => one.name === name);
  const answer = conversation.answerTo(id);
  if (!given) return failed(`The arguments are not a JSON object: ${text.slice(0, 500)}`);
  if (tool?.approval === "ask" && !answer) return { ask: { argumentsHash: argumentsHash(name, given) } };
  if (answer && !answer.approved) {
    return failed(`The user did not allow this call${answer.note ? `: ${answer.note}` : "."}`);
  }
  // It may have had its effect, also where its tool is gone by now.
  if (interrupted.has(id) && !tool?.repeatable) return { end: OUTCOME_UNKNOWN };
  if (!tool) return failed(`There is no tool ${name}. Tools: ${tools.map((one) => one.name).join(", ")}`);
  if (tool.approval === "never") return failed(`${name} may not be used here.`);
  return { run: answer?.arguments ?? given };
}

const OUTCOME_UNKNOWN: ToolReturn = {
  outcome: "unknown",
  text:
    "The agent was interrupted while this call was under way, so its outcome is unknown. It was not repeated, because " +
    "it may have had its effect. Say so, and ask before doing it again.",
};

/** Binds an approval to what was shown: the tool and just these arguments. */
export function argumentsHash(tool: string, given: Readonly<Record<string, unknown>>): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, given]))
    .digest("hex");
}

function failed(text: string): Decision {
  return { end: { outcome: "failed", text } };
}
