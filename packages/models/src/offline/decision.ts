import type { ToolCall } from "../model.ts";
import type { Step } from "./steps.ts";

/** What the model does next: calls, or words, which may ask about steps that wait for the answer. */
export type Decision =
  | { readonly kind: "call"; readonly calls: readonly ToolCall[]; readonly steps: readonly Step[] }
  | { readonly kind: "say"; readonly text: string; readonly asked: readonly Step[] };

/** Words, in paragraphs, with the steps that they ask about. */
export function say(paragraphs: readonly string[], asked: readonly Step[] = []): Decision {
  return { kind: "say", text: paragraphs.filter((part) => part !== "").join("\n\n"), asked };
}

/** A call of a tool with these arguments. */
export function callOf(id: string, tool: string, args: Readonly<Record<string, unknown>>): ToolCall {
  return { id, tool, arguments: args, text: JSON.stringify(args) };
}
