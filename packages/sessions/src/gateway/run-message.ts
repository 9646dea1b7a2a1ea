import {
  type A2AClient,
  approvalAnswer,
  budget,
  inWords,
  isText,
  type Json,
  MAX_BODY_BYTES,
  type Message,
  type Metadata,
  type Part,
  provenance,
  RUN_EXTENSION,
  sessionSnapshot,
  withMember,
  withWorkspace,
} from "@parley/a2a";
import type { BlobStore } from "@parley/journal";
import { snapshotOf } from "../domain/run-events.ts";
import { configurationIn } from "../domain/session-configuration.ts";
import type { EventOf, StoredFile } from "../domain/session-event.ts";
import type { Run, SessionMessage, SessionState } from "../domain/session-state.ts";
import type { Question } from "./transform/open-questions.ts";

/** Files of one message: their number, and their bytes in all. */
export const MAX_MESSAGE_FILES = 20;
export const MAX_MESSAGE_FILE_BYTES = 20 * 1_048_576;

/** Bytes of JSON for the history, newest first: metadata may have 262,144. */
const MAX_BYTES = 240_000;
/** For the rest of a message: ids, names and the request around it. */
const ENVELOPE_BYTES = 16_384;

/** The first message of a run: what the user said, and the history (S4.8). */
export async function firstMessage(
  state: SessionState,
  run: Run,
  {
    client,
    blobs,
    key,
    isHosted,
  }: {
    readonly client: A2AClient;
    readonly blobs: BlobStore;
    readonly key: string;
    readonly isHosted: boolean;
  },
): Promise<Message> {
  const shown = snapshotOf(state.messages, run.messageId);
  const before = await newest(shown.slice(0, -1), blobs);
  const asked = shown.at(-1);
  const speaks = speaksExtension(client);
  const about = speaks ? snapshotMember(state, run, before) : { runId: run.id };
  const told = speaks || before.length === 0 ? [] : [{ text: transcript(before) }];
  const room = roomFor(client) - Buffer.byteLength(JSON.stringify([about, told]));
  return {
    messageId: key,
    contextId: run.contextId,
    role: "ROLE_USER",
    parts: [...told, ...(asked ? await partsOf(asked, blobs, room) : [])],
    metadata: isHosted ? withWorkspace(about, { workspace: state.workspace, user: state.owner }) : about,
  };
}

/** A later user message for the same task. */
export async function furtherMessage(
  message: SessionMessage,
  blobs: BlobStore,
  client: A2AClient,
): Promise<Message> {
  const parts = await partsOf(message, blobs, roomFor(client));
  return { messageId: message.id, role: "ROLE_USER", parts };
}

/** A person's answer: bound to the tool call that it is about, or as plain text. */
export function answerMessage(answer: EventOf<"approval_answered">, question: Question | undefined): Message {
  const { approvalId, decision, text, arguments: given } = answer;
  const words = text ?? (decision === "denied" ? "No." : "Yes.");
  const message: Message = { messageId: approvalId, role: "ROLE_USER", parts: [{ text: words }] };
  const { tool, argumentsHash, agent, parentCallId } = question?.asked ?? {};
  // Two agents may ask the same: the call tells whose question it was.
  const origin =
    agent !== undefined && parentCallId !== undefined
      ? { metadata: withMember(undefined, provenance, { agent, callId: parentCallId, depth: 1 }) }
      : {};
  const { requestId } = question ?? {};
  if (requestId === undefined || decision === "answered" || tool === undefined || argumentsHash === undefined)
    return { ...message, ...origin };
  const bound = {
    id: requestId,
    decision,
    tool,
    argumentsHash,
    ...(text !== undefined && { note: text }),
    ...(given !== undefined && { arguments: given as Json }),
  };
  return { ...message, metadata: withMember(origin.metadata, approvalAnswer, bound) };
}

function speaksExtension({ card }: A2AClient): boolean {
  return card.capabilities.extensions?.some(({ uri }) => uri === RUN_EXTENSION) ?? false;
}

/** Bytes of JSON that a message may have: what our agents accept, for others plus all files. */
function roomFor(client: A2AClient): number {
  const words = MAX_BODY_BYTES - ENVELOPE_BYTES;
  return speaksExtension(client) ? words : words + base64Bytes(MAX_MESSAGE_FILE_BYTES);
}

/** The text, and the files that fit; others are named and not read. */
async function partsOf(
  { content, files = [] }: SessionMessage,
  blobs: BlobStore,
  room: number,
): Promise<readonly Part[]> {
  const attached: Part[] = [];
  let left = room - Buffer.byteLength(JSON.stringify(content));
  for (const file of distinct(files)) {
    const bytes = base64Bytes(file.size) + file.name.length;
    const fits = bytes <= left;
    if (fits) left -= bytes;
    attached.push(fits ? await filePart(file, blobs) : { text: `[${fileTitle(file)}: too large to send]` });
  }
  return content === "" && attached.length > 0 ? attached : [{ text: content }, ...attached];
}

/** Each file once, up to the limit, which records of earlier versions may exceed. */
function distinct(files: readonly StoredFile[]): readonly StoredFile[] {
  return [...new Map(files.map((file) => [file.blob, file])).values()].slice(0, MAX_MESSAGE_FILES);
}

function base64Bytes(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function snapshotMember(state: SessionState, run: Run, before: readonly SessionMessage[]): Metadata {
  const messages = before.map(({ id, role, agent, content }) => ({
    messageId: id,
    role: role === "user" ? ("user" as const) : ("agent" as const),
    text: content,
    ...(agent !== undefined && { agent }),
  }));
  const metadata = withMember(undefined, sessionSnapshot, { runId: run.id, sessionId: state.id, messages });
  const { budget: given } = configurationIn(state.config);
  return given ? withMember(metadata, budget, given) : metadata;
}

function transcript(before: readonly SessionMessage[]): string {
  const lines = before.map(({ role, agent, content }) => {
    const who = role === "user" ? "User" : `Assistant${agent === undefined ? "" : ` (${agent})`}`;
    return `${who}: ${content}`;
  });
  return `What was said before:\n\n${lines.join("\n\n")}\n\nWhat the user says now:\n\n`;
}

/** The newest messages, their files as text. */
async function newest(
  messages: readonly SessionMessage[],
  blobs: BlobStore,
): Promise<readonly SessionMessage[]> {
  const shown: SessionMessage[] = [];
  let bytes = 0;
  for (const message of messages.toReversed()) {
    const content = message.files
      ? inWords({ parts: await readable(message, blobs, MAX_BYTES - bytes) })
      : message.content;
    const { id: messageId, role, agent } = message;
    bytes += Buffer.byteLength(JSON.stringify({ messageId, role, agent, text: content })) + 1;
    if (bytes > MAX_BYTES) break;
    shown.push({ ...message, content });
  }
  return shown.reverse();
}

/** The text, and the readable files that fit; others are only named. */
async function readable(
  { content, files = [] }: SessionMessage,
  blobs: BlobStore,
  room: number,
): Promise<readonly Part[]> {
  const parts: Part[] = [{ text: content }];
  let left = room - Buffer.byteLength(content);
  for (const file of distinct(files)) {
    const fits = isText(file.mediaType) && file.size <= left;
    if (fits) left -= file.size;
    parts.push(fits ? await filePart(file, blobs) : { text: `[${fileTitle(file)}]` });
  }
  return parts;
}

function fileTitle({ name, mediaType, size }: StoredFile): string {
  return `${name}, ${mediaType}, ${size} bytes`;
}

async function filePart({ name, mediaType, blob }: StoredFile, blobs: BlobStore): Promise<Part> {
  const raw = Buffer.from(await blobs.get(blob)).toString("base64");
  return { raw, filename: name, mediaType };
}
