import { contentToText, type Message } from "@ag-ui/core";
import type { SessionMessage, SessionState } from "@parley/sessions";
import { storedFileUrl } from "../conversations/data-url.ts";
import { matchByIdOrContent } from "../conversations/matching/match-by-id-or-content.ts";
import { threadMessages } from "./parsing/parse-run-input.ts";

/**
 * The history that a client should have before a run: the record's messages, and those of the client's own
 * that the record does not have (how earlier answers came about, instructions, a greeting), each where the client has it.
 */
export function historyFor(
  client: readonly Message[],
  { messages: record, runs }: Pick<SessionState, "messages" | "runs">,
  { runId, isEarlier = false }: { readonly runId?: string | undefined; readonly isEarlier?: boolean } = {},
): readonly Message[] {
  const shown = (message: SessionMessage) => shownMessage(message, isEarlier);
  const { pairs } = matchByIdOrContent({ messages: record, runs }, threadMessages(client));
  const known = new Map(record.map(({ id }, place) => [id, place]));
  const history: Message[] = [];
  let next = 0;
  for (const [at, message] of client.entries()) {
    const place = pairs.get(at) ?? known.get(message.id);
    if (place === undefined) {
      const name = message.role === "tool" ? message.toolCallId : message.id;
      const isOfRun = runId !== undefined && name.startsWith(`${runId}-`);
      if (!isOfRun) history.push(message);
      // Clients keep reasoning that no snapshot names: sent again, it would be there twice.
      else if (message.role === "reasoning") history.push({ ...message, content: "" });
      continue;
    }
    for (; next <= place; next++) {
      const recorded = record[next];
      if (recorded) history.push(next === place && isHeld(message, recorded) ? message : shown(recorded));
    }
  }
  return [...history, ...record.slice(next).map(shown)];
}

/** Whether the client's version can stay: it says the same as the record, or has an id of the client's own. */
function isHeld(message: Message, recorded: SessionMessage): boolean {
  if (message.id !== recorded.id) return true;
  return message.role === recorded.role && contentToText(message.content) === recorded.content;
}

function shownMessage({ id, role, content, files = [] }: SessionMessage, isEarlier: boolean): Message {
  if (role === "assistant" || files.length === 0) return { id, role, content };
  const attached = files.map(({ name, mediaType, blob }) => ({
    type: "document" as const,
    source: isEarlier
      ? { type: "url" as const, value: storedFileUrl(blob), mimeType: mediaType }
      : { type: "file" as const, value: blob, provider: "parley", mimeType: mediaType },
    metadata: { name, filename: name },
  }));
  return { id, role, content: [{ type: "text", text: content }, ...attached] };
}
