import { contentToText, type Message } from "@ag-ui/core";
import type { SessionMessage } from "@parley/sessions";

/** A message of a conversation, as the client tells it: what people and agents said, not how they came to it. */
export interface SaidMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** What was said in these messages. */
export function saidIn(messages: readonly Message[]): readonly SaidMessage[] {
  return messages.flatMap(({ id, role, content, subagentRunId }): SaidMessage[] => {
    if ((role !== "user" && role !== "assistant") || subagentRunId !== undefined) return [];
    const text = contentToText(content as Extract<Message, { role: "user" }>["content"] | undefined);
    return role === "assistant" && text === "" ? [] : [{ id, role, text }];
  });
}

/** The message with which the client goes on: the last one, if a person says it. */
export function newestIn(messages: readonly Message[]): Extract<Message, { role: "user" }> | undefined {
  const last = messages.findLast(({ role }) => role !== "activity" && role !== "reasoning");
  return last?.role === "user" ? last : undefined;
}

/**
 * What the client is to have of all that was said before a run: the record's messages, and those of the client's own
 * that the record does not have (how earlier answers came about, instructions, a greeting), each where the client has it.
 */
export function historyFor(
  client: readonly Message[],
  record: readonly SessionMessage[],
  runId: string | undefined,
): readonly Message[] {
  const places = new Map(record.map(({ id }, place) => [id, place]));
  const history: Message[] = [];
  let next = 0;
  for (const message of client) {
    const place = places.get(message.id);
    if (place === undefined) {
      const isOfRun = runId !== undefined && message.id.startsWith(`${runId}-`);
      if (!isOfRun) history.push(message);
      // A thought that no list names stays as it is: said again, it would be there twice.
      else if (message.role === "reasoning") history.push({ ...message, content: "" });
      continue;
    }
    for (; next <= place; next++) {
      const recorded = record[next];
      if (recorded) history.push(next === place ? theSame(message, recorded) : shown(recorded));
    }
  }
  return [...history, ...record.slice(next).map(shown)];
}

/** The client's own version, with its files, where it says what the record says. */
function theSame(message: Message, recorded: SessionMessage): Message {
  const isSame = message.role === recorded.role && contentToText(message.content) === recorded.content;
  return isSame ? message : shown(recorded);
}

function shown({ id, role, content, files = [] }: SessionMessage): Message {
  if (role === "assistant") return { id, role, content };
  if (files.length === 0) return { id, role, content };
  const attached = files.map(({ name, mediaType, blob }) => ({
    type: "document" as const,
    source: { type: "file" as const, value: blob, provider: "parley", mimeType: mediaType },
    metadata: { name },
  }));
  return { id, role, content: [{ type: "text", text: content }, ...attached] };
}
