import type { ChatToolCall, Delta } from "./chat-completion-encoder.ts";
import type { ChatHead } from "./chat-stream-encoder.ts";

/** The `chat.completion` object: what a stream of these deltas says, in one piece. */
export function chatCompletion(head: ChatHead, deltas: readonly Delta[], usage: object | undefined) {
  const joined = (text: (delta: Delta) => string | undefined) =>
    deltas.map((delta) => text(delta) ?? "").join("");
  const reasoning = joined((delta) => delta.reasoning_content);
  const calls = deltas.flatMap((delta): readonly ChatToolCall[] => delta.tool_calls ?? []);
  const message = {
    role: "assistant",
    content: joined((delta) => delta.content),
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(({ index: _, ...call }) => call) }),
  };
  return {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
    ...(usage && { usage }),
  };
}
