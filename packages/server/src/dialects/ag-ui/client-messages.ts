import { contentToText, type Message } from "@ag-ui/core";

/** A message of a conversation, as the client tells it: what people and agents said, not how they came to it. */
export interface SaidMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Which of the client's messages it is. */
  readonly at: number;
}

/** What was said in these messages. */
export function saidIn(messages: readonly Message[]): readonly SaidMessage[] {
  return messages.flatMap(({ id, role, content, subagentRunId }, at): SaidMessage[] => {
    if ((role !== "user" && role !== "assistant") || subagentRunId !== undefined) return [];
    const text = contentToText(content as Extract<Message, { role: "user" }>["content"] | undefined);
    return role === "assistant" && text === "" ? [] : [{ id, role, text, at }];
  });
}

const NOT_SAID: ReadonlySet<Message["role"]> = new Set(["activity", "reasoning", "system", "developer"]);

/** The message with which the client goes on: the last one, if a person says it. */
export function newestIn(messages: readonly Message[]): Extract<Message, { role: "user" }> | undefined {
  const last = messages.findLast(({ role }) => !NOT_SAID.has(role));
  return last?.role === "user" ? last : undefined;
}
