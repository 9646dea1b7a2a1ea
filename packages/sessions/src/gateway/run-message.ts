import {
  type A2AClient,
  approvalAnswer,
  budget,
  inWords,
  isText,
  type Json,
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
import { configurationIn } from "../domain/session-configuration.ts";
import type { EventOf, StoredFile } from "../domain/session-event.ts";
import type { Run, SessionMessage, SessionState } from "../domain/session-state.ts";
import { snapshotOf } from "../domain/snapshot.ts";
import type { Question } from "./transform/question.ts";

/** So many bytes of JSON of what was said before an agent is shown, the newest first: requests have their limits too. */
const MOST_BYTES = 400_000;

/** The message that begins a run: what the user said, and what was said before (S4.8). */
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
  const speaks = client.card.capabilities.extensions?.some(({ uri }) => uri === RUN_EXTENSION) ?? false;
  const parts = asked ? await partsOf(asked, blobs) : [];
  const about = speaks ? snapshotMember(state, run, before) : { runId: run.id };
  return {
    ...{ messageId: key, contextId: run.contextId, role: "ROLE_USER" },
    parts: speaks || before.length === 0 ? parts : [{ text: transcript(before) }, ...parts],
    metadata: isHosted ? withWorkspace(about, state.workspace) : about,
  };
}

/** A later message of the user to the same task. */
export async function furtherMessage(message: SessionMessage, blobs: BlobStore): Promise<Message> {
  return { messageId: message.id, role: "ROLE_USER", parts: await partsOf(message, blobs) };
}

/** A person's answer to what the agent asked: bound to the call that it is about, or in plain words. */
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
    ...{ id: requestId, decision, tool, argumentsHash },
    ...(text !== undefined && { note: text }),
    ...(given !== undefined && { arguments: given as Json }),
  };
  return { ...message, metadata: withMember(origin.metadata, approvalAnswer, bound) };
}

async function partsOf({ content, files = [] }: SessionMessage, blobs: BlobStore): Promise<readonly Part[]> {
  const attached = await Promise.all(files.map((file) => filePart(file, blobs)));
  return content === "" && attached.length > 0 ? attached : [{ text: content }, ...attached];
}

function snapshotMember(state: SessionState, run: Run, before: readonly SessionMessage[]): Metadata {
  const messages = before.map(({ id, role, agent, content }) => ({
    ...{ messageId: id, role: role === "user" ? ("user" as const) : ("agent" as const), text: content },
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

/** The newest of what was said before, its files in words. */
async function newest(
  messages: readonly SessionMessage[],
  blobs: BlobStore,
): Promise<readonly SessionMessage[]> {
  const shown: SessionMessage[] = [];
  let bytes = 0;
  for (const message of messages.toReversed()) {
    const content = message.files ? inWords({ parts: await readable(message, blobs) }) : message.content;
    bytes += Buffer.byteLength(JSON.stringify([message.id, message.role, message.agent, content]));
    if (bytes > MOST_BYTES) break;
    shown.push({ ...message, content });
  }
  return shown.reverse();
}

/** What it said, and the files that can be read; of others nobody is shown more than the name. */
async function readable({ content, files = [] }: SessionMessage, blobs: BlobStore): Promise<readonly Part[]> {
  const parts = files.map(async (file): Promise<Part> => {
    if (isText(file.mediaType)) return filePart(file, blobs);
    return { text: `[${file.name}, ${file.mediaType}, ${file.size} bytes]` };
  });
  return [{ text: content }, ...(await Promise.all(parts))];
}

async function filePart({ name, mediaType, blob }: StoredFile, blobs: BlobStore): Promise<Part> {
  const raw = Buffer.from(await blobs.get(blob)).toString("base64");
  return { raw, filename: name, mediaType };
}
