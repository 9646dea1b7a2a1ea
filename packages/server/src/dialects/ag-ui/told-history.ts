import type { Message } from "@ag-ui/core";
import type { Principal, SessionMessage, ToldMessage } from "@parley/sessions";
import type { Files } from "../../api/api-ports.ts";
import { storedFiles } from "../../api/files/stored-files.ts";
import { content } from "../../api/schemas/message-bodies.ts";
import { pathId } from "../../api/schemas/parameters.ts";
import type { SaidMessage } from "./client-messages.ts";
import { atHand, keptFiles } from "./message-files.ts";
import { check, filesIn } from "./run-agent-input.ts";

/**
 * What a client says was said, as the record takes it: under the client's ids, as far as they are ones, with its files, as
 * far as it sent them. An answer that the record has, it has in full.
 */
export async function toldHistory(
  files: Files,
  principal: Principal,
  {
    told,
    messages,
    known = [],
    taken = [],
  }: {
    readonly told: readonly SaidMessage[];
    /** All that the client has. */
    readonly messages: readonly Message[];
    /** What the record has of it. */
    readonly known?: readonly SessionMessage[];
    /** Ids that others have. */
    readonly taken?: readonly string[];
  },
): Promise<ToldMessage[]> {
  const ids = new Set(taken);
  const recorded = new Map(known.map((message) => [message.id, message]));
  const history: ToldMessage[] = [];
  for (const { id, role, text, at } of told) {
    const answer = role === "assistant" ? recorded.get(id) : undefined;
    check(`messages.${at}.content`, content, text);
    const sent = await atHand(files, principal, filesIn(messages[at], `messages.${at}`));
    const kept = await keptFiles(files, principal, sent);
    if (text.trim() === "" && kept.length === 0) continue;
    const own = pathId.safeParse(id).success && !ids.has(id);
    ids.add(id);
    history.push({
      ...{ id: own ? id : undefined, role, content: answer?.content ?? text },
      files: await storedFiles(files, principal, kept),
    });
  }
  return history;
}
