import { createHash } from "node:crypto";
import { contentToText, type Message } from "@ag-ui/core";
import type { Principal, SessionMessage, ToldMessage } from "@parley/sessions";
import type { Files } from "../../adapter-host.ts";
import type { NewMessage } from "../../conversations/conversations.ts";
import { messageContent, pathId } from "../../conversations/field-schemas.ts";
import type { PlacedMessage } from "../../conversations/matching/match-by-id-or-content.ts";
import { storedFiles } from "../../conversations/stored-files.ts";
import { parseField } from "../../problem.ts";
import { filesAtHand, storeMessageFiles } from "./message-files.ts";
import { type CheckedInput, filesIn, partsOf } from "./run-agent-input.ts";

export interface ParsedRunInput {
  readonly asking: NewMessage & { readonly id: string };
  readonly messages: readonly Message[];
  /** The history with the new message at its end. */
  readonly transcript: readonly ThreadMessage[];
  /** Whether the client sent its whole history: with `parentRunId` it may send only what is new. */
  readonly isWhole: boolean;
  /** The idempotency key: the same for the same run and message. */
  readonly key: string;
}

/** Parses a request with `newest` as its new message. */
export async function parseRunInput(
  files: Files,
  principal: Principal,
  { input, wishes }: CheckedInput,
  newest: Extract<Message, { role: "user" }>,
  agent: string | undefined,
): Promise<ParsedRunInput> {
  const { messages, runId } = input;
  const { id } = newest;
  const at = messages.indexOf(newest);
  const { text: content, files: placed } = partsOf(newest, `messages.${at}`);
  const stored = await storeMessageFiles(files, principal, placed);
  return {
    asking: { id, content, files: stored, agent, ...wishes },
    messages,
    transcript: threadMessages(messages.slice(0, at + 1)),
    isWhole: input.parentRunId === undefined,
    key: keyOf([runId, id, content, ...stored]),
  };
}

/** A short key for any number of client ids. */
export function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/**
 * The client's history as messages of the record: under the client's ids, as far as they are valid, with its files, as
 * far as it sent them. An answer that the record has, it has in full.
 */
export async function recordedHistory(
  files: Files,
  principal: Principal,
  {
    history,
    messages,
    known = [],
    taken,
  }: {
    readonly history: readonly ThreadMessage[];
    readonly messages: readonly Message[];
    readonly known?: readonly SessionMessage[];
    /** Ids that other messages have. */
    readonly taken: readonly string[];
  },
): Promise<ToldMessage[]> {
  const ids = new Set(taken);
  const answers = new Map(known.map((message) => [message.id, message.content]));
  const recorded: ToldMessage[] = [];
  for (const { id, role, content, at } of history) {
    parseField(`messages.${at}.content`, messageContent, content);
    const sent = await filesAtHand(files, principal, filesIn(messages[at], `messages.${at}`));
    const blobs = await storeMessageFiles(files, principal, sent);
    if (content.trim() === "" && blobs.length === 0) continue;
    const isFree = pathId.safeParse(id).success && !ids.has(id);
    ids.add(id);
    recorded.push({
      id: isFree ? id : undefined,
      role,
      content: (role === "assistant" ? answers.get(id) : undefined) ?? content,
      files: await storedFiles(files, principal, blobs),
    });
  }
  return recorded;
}

/** A user or assistant message of the client's history, without tool calls, reasoning and activities. */
export type ThreadMessage = PlacedMessage;

export function threadMessages(messages: readonly Message[]): readonly ThreadMessage[] {
  return messages.flatMap(({ id, role, content: sent, subagentRunId }, at): ThreadMessage[] => {
    if ((role !== "user" && role !== "assistant") || subagentRunId !== undefined) return [];
    const content = contentToText(sent as Extract<Message, { role: "user" }>["content"] | undefined);
    return role === "assistant" && content === "" ? [] : [{ id, role, content, at }];
  });
}

const NOT_SAID: ReadonlySet<Message["role"]> = new Set(["activity", "reasoning", "system", "developer"]);

/** The client's new message: the last one, if it is a user's. */
export function newestIn(messages: readonly Message[]): Extract<Message, { role: "user" }> | undefined {
  const last = messages.findLast(({ role }) => !NOT_SAID.has(role));
  return last?.role === "user" ? last : undefined;
}
