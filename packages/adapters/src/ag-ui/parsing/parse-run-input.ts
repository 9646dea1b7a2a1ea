import { createHash } from "node:crypto";
import type { Message } from "@ag-ui/core";
import type { Principal, SessionMessage, ToldMessage } from "@parley/sessions";
import type { Files } from "../../adapter-host.ts";
import type { NewMessage } from "../../conversations/conversations.ts";
import { messageContent, pathId } from "../../conversations/field-schemas.ts";
import { storedFiles } from "../../conversations/stored-files.ts";
import { atHand, storeMessageFiles } from "./message-files.ts";
import { type CheckedInput, check, filesIn, partsOf } from "./run-agent-input.ts";
import { type ThreadMessage, threadMessages } from "./thread-messages.ts";

/** A client's new message, with its history. */
export interface ParsedRunInput {
  readonly asking: NewMessage & { readonly id: string };
  readonly messages: readonly Message[];
  readonly said: readonly ThreadMessage[];
  /** The session that the client last received events of. */
  readonly seen: string | undefined;
  /** Whether the messages are all that the client has: one that names the run before may send what is new alone. */
  readonly isWhole: boolean;
  /** The same for the same run and message: by it a request that comes again is known. */
  readonly key: string;
}

/** One of the client's messages as what it says now. */
export async function parseRunInput(
  files: Files,
  principal: Principal,
  { input, wishes, seen }: CheckedInput,
  {
    newest,
    agent,
  }: { readonly newest: Extract<Message, { role: "user" }>; readonly agent: string | undefined },
): Promise<ParsedRunInput> {
  const { messages, runId } = input;
  const place = messages.indexOf(newest);
  const { text: content, files: placed } = partsOf(newest, `messages.${place}`);
  const { id } = newest;
  const kept = await storeMessageFiles(files, principal, placed);
  return {
    asking: { id, content, files: kept, agent, ...wishes },
    ...{ messages, said: threadMessages(messages.slice(0, place + 1)), seen },
    isWhole: input.parentRunId === undefined,
    key: keyOf([runId, id, content, ...kept]),
  };
}

/** As short as a key must be, whatever a client's ids are. */
export function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/**
 * The client's history as messages of the record: under the client's ids, as far as they are valid, with its files, as
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
    readonly told: readonly ThreadMessage[];
    readonly messages: readonly Message[];
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
    check(`messages.${at}.content`, messageContent, text);
    const sent = await atHand(files, principal, filesIn(messages[at], `messages.${at}`));
    const kept = await storeMessageFiles(files, principal, sent);
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
