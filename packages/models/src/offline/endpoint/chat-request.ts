import { listOf } from "@parley/a2a";
import { z } from "zod";
import type { ModelMessage, ModelRequest, ToolCall, ToolOutcome } from "../../model.ts";
import { FAILED } from "../../provider-prompt.ts";
import { isSchema } from "../json-schema.ts";
import { readValue } from "../read-value.ts";

const content = z
  .union([z.string(), listOf(z.looseObject({ type: z.string(), text: z.string().optional() })), z.null()])
  .optional()
  .transform((given) =>
    typeof given === "string" ? given : (given ?? []).map(({ text = "" }) => text).join(""),
  );
const toolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["system", "developer"]), content }),
  z.looseObject({ role: z.literal("user"), content }),
  z.looseObject({ role: z.literal("assistant"), content, tool_calls: listOf(toolCall).nullish() }),
  z.looseObject({ role: z.literal("tool"), content, tool_call_id: z.string() }),
]);
type ChatMessage = z.infer<typeof message>;

/** A request for a chat completion, as far as the offline model reads it. */
export const chatRequest = z.looseObject({
  model: z.string(),
  messages: listOf(message, z.array(z.unknown()).min(1)),
  tools: listOf(
    z.looseObject({
      type: z.literal("function"),
      function: z.looseObject({
        name: z.string(),
        description: z.string().nullish(),
        parameters: z.record(z.string(), z.unknown()).nullish(),
      }),
    }),
  ).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  reasoning_effort: z.string().nullish(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

/** The turn that a chat completion asks for. */
export function modelRequestOf(chat: ChatRequest): ModelRequest {
  const limit = chat.max_completion_tokens ?? chat.max_tokens;
  const system = chat.messages.flatMap((one) =>
    one.role === "system" || one.role === "developer" ? [one.content] : [],
  );
  return {
    system: system.join("\n\n"),
    messages: messagesOf(chat.messages),
    tools: (chat.tools ?? []).map(({ function: { name, description, parameters } }) => ({
      name,
      description: description ?? "",
      inputSchema: parameters ?? { type: "object" },
    })),
    thinking:
      chat.reasoning_effort !== undefined &&
      chat.reasoning_effort !== null &&
      chat.reasoning_effort !== "none",
    ...(limit !== undefined && limit !== null && { maxOutputTokens: limit }),
  };
}

function messagesOf(chat: readonly ChatMessage[]): ModelMessage[] {
  const toolOf = new Map<string, string>();
  const messages: ModelMessage[] = [];
  let outcomes: ToolOutcome[] = [];
  for (const one of chat) {
    switch (one.role) {
      case "system":
      case "developer":
        break;
      case "user":
        messages.push({ role: "user", text: one.content });
        break;
      case "assistant": {
        const calls = (one.tool_calls ?? []).map(callOf);
        for (const { id, tool } of calls) toolOf.set(id, tool);
        messages.push({ role: "assistant", text: one.content, calls });
        break;
      }
      case "tool": {
        const outcome = outcomeOf(one.tool_call_id, toolOf.get(one.tool_call_id) ?? "", one.content);
        // Outcomes of one turn come as messages of their own here, and as one message there.
        if (messages.at(-1)?.role !== "tool") {
          outcomes = [];
          messages.push({ role: "tool", outcomes });
        }
        outcomes.push(outcome);
      }
    }
  }
  return messages;
}

function callOf({ id, function: { name, arguments: text } }: z.infer<typeof toolCall>): ToolCall {
  const args = readValue(text);
  return { id, tool: name, arguments: isSchema(args) ? args : undefined, text };
}

function outcomeOf(id: string, tool: string, text: string): ToolOutcome {
  const failed = text.startsWith(FAILED);
  return { id, tool, failed, text: failed ? text.slice(FAILED.length) : text };
}
