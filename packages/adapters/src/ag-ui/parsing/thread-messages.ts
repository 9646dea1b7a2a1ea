import { contentToText, type Message } from "@ag-ui/core";
import type { PlacedMessage } from "../../conversations/matching/match-by-id-or-content.ts";

/** A user or assistant message of the client's history, without tool calls, reasoning and activities. */
export type ThreadMessage = PlacedMessage;

/** The user and assistant messages among these. */
export function threadMessages(messages: readonly Message[]): readonly ThreadMessage[] {
  return messages.flatMap(({ id, role, content: sent, subagentRunId }, at): ThreadMessage[] => {
    if ((role !== "user" && role !== "assistant") || subagentRunId !== undefined) return [];
    const content = contentToText(sent as Extract<Message, { role: "user" }>["content"] | undefined);
    return role === "assistant" && content === "" ? [] : [{ id, role, content, at }];
  });
}

const NOT_SAID: ReadonlySet<Message["role"]> = new Set(["activity", "reasoning", "system", "developer"]);

/** The message with which the client goes on: the last one, if a person says it. */
export function newestIn(messages: readonly Message[]): Extract<Message, { role: "user" }> | undefined {
  const last = messages.findLast(({ role }) => !NOT_SAID.has(role));
  return last?.role === "user" ? last : undefined;
}
