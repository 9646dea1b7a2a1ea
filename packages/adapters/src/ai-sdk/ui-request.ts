import { listOf } from "@parley/a2a";
import type { SessionState } from "@parley/sessions";
import { z } from "zod";
import { messageContent, pathId } from "../conversations/field-schemas.ts";
import { joinTexts, knownMessages, type MessageInHistory } from "../conversations/matching/match-by-id.ts";
import { conversationName } from "../conversations/named-session.ts";
import { invalid, parseField } from "../problem.ts";

const part = z.looseObject({ type: z.string().max(200) });
const textPart = z.looseObject({ type: z.literal("text"), text: messageContent });
/** Answers may be longer than users' messages. */
const answerPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const plain = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), "must not hold control characters, or halves of some");
const filePart = z.looseObject({
  type: z.literal("file"),
  url: z.string().min(1),
  // Browsers leave it empty where they do not know it.
  mediaType: plain(200),
  filename: plain(255).optional(),
});
const answeredPart = z.looseObject({
  type: z.string().regex(/^(dynamic-tool$|tool-)/),
  state: z.literal("approval-responded"),
  approval: z.looseObject({
    id: pathId,
    approved: z.boolean(),
    reason: z.string().max(100_000).optional(),
  }),
});

const message = z.looseObject({
  // The answer to a message that an active run received has the ids of both.
  id: plain(500).min(1),
  role: z.enum(["user", "assistant", "system"]),
  parts: listOf(part, z.array(z.unknown()).max(10_000)),
  metadata: z.unknown().optional(),
});

const body = z.looseObject({
  id: conversationName,
  messages: listOf(message, z.array(z.unknown()).min(1).max(10_000)).optional(),
  message: message.optional(),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().max(200).nullish(),
  agent: z.string().min(1).max(200).optional(),
  thinking: z.boolean().optional(),
});

const MAX_ID = 100;
const KNOWN = new Set(Object.keys(body.shape));

/** Fields that would change the answer's meaning, and are not supported. */
const REFUSED: Readonly<Record<string, string>> = {
  tools: "Tools of the client's cannot be called: agents have their own. Leave `tools` out",
  system: "Agents have instructions of their own: leave `system` out, or say it in a message",
};

/** A file that a message carries. */
export type UiFile = z.infer<typeof filePart>;

/** A message as the client has it. */
export interface UiMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly files: readonly UiFile[];
  readonly session: string | undefined;
  /** The last event in it, according to its metadata. */
  readonly seen: number | undefined;
  /** Answers to the questions in it. */
  readonly answers: readonly UiAnswer[];
  /** Whether it ends with a question. */
  readonly endsAsked: boolean;
}

/** The client's new message, with those before it that never reached us, after its history. */
export interface NewUiMessage extends MessageInHistory<UiMessage> {
  readonly files: readonly UiFile[];
}

/** A user's decision about an approval. */
export interface UiAnswer {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason: string | undefined;
}

/** A request of an AI SDK client. */
export interface UiRequest {
  readonly chatId: string;
  readonly trigger: "submit-message" | "regenerate-message";
  readonly messages: readonly UiMessage[];
  /** The client sent only its last message. */
  readonly isAlone: boolean;
  /** The message that is answered or regenerated, where the client names one. */
  readonly messageId: string | undefined;
  readonly agent: string | undefined;
  readonly thinking: boolean | undefined;
  /** The names of fields and parts that are not used. */
  readonly unused: readonly string[];
}

/** Reads the body that `DefaultChatTransport` sends; a `Problem` names the field that is wrong. */
export function readUiRequest(json: unknown): UiRequest {
  const read = parseField("body", body, json);
  const { id: chatId, message: alone, trigger, messageId, agent, thinking } = read;
  const { messages = alone ? [alone] : [] } = read;
  if (messages.length === 0)
    throw invalid("body.messages", "Send the chat's messages, or as `message` the last one alone");
  for (const [name, why] of Object.entries(REFUSED))
    if (!isEmpty(read[name])) throw invalid(`body.${name}`, why);
  const others = messages.flatMap(({ role, parts }) => (role === "user" ? parts.map(unusedIn) : []));
  const unused = Object.keys(read).filter((name) => !KNOWN.has(name) && !(name in REFUSED));
  return {
    ...{ chatId, trigger, agent, thinking, messageId: messageId ?? undefined },
    messages: messages.map(messageIn),
    isAlone: read.messages === undefined,
    unused: [...new Set([...unused, ...others.flat()])],
  };
}

/** The last answer of an agent's. */
export function lastAnswer(messages: readonly UiMessage[]): UiMessage | undefined {
  return messages.findLast(({ role }) => role === "assistant");
}

/** The last message of the chat, with those before it that the session does not have. */
export function newUiMessage(messages: readonly UiMessage[], state?: SessionState): NewUiMessage {
  const last = messages.length - 1;
  const { id = "" } = messages[last] ?? {};
  if (id.length > MAX_ID) throw invalid(`body.messages.${last}.id`, `may have ${MAX_ID} characters`);
  const isKnown = state ? knownMessages(state) : () => false;
  const isUnsent = (message: UiMessage | undefined) => message?.role === "user" && !isKnown(message);
  let first = last;
  while (isUnsent(messages[first - 1])) first--;
  const unsent = messages.slice(first);
  const content = joinTexts(unsent.map((message) => message.content));
  const files = unsent.flatMap((message) => message.files);
  if (content.trim() === "" && files.length === 0)
    throw invalid(`body.messages.${last}.parts`, "must have text or a file");
  if (!messageContent.safeParse(content).success)
    throw invalid(`body.messages.${last}.parts`, "must not be so long: send it as a file");
  return { id, content, files, history: messages.slice(0, first) };
}

function messageIn({ id, role, parts, metadata }: z.infer<typeof message>, at: number): UiMessage {
  if (role === "system") throw invalid(`body.messages.${at}.role`, REFUSED.system ?? "");
  const read = <Schema extends z.ZodType>(schema: Schema, isOne: (type: string) => boolean) =>
    parts.flatMap((one, place): z.infer<Schema>[] =>
      isOne(one.type) ? [parseField(`body.messages.${at}.parts.${place}`, schema, one)] : [],
    );
  const about = metadataSchema.safeParse(metadata).data;
  const isUser = role === "user";
  const text = read(isUser ? textPart : answerPart, (type) => type === "text").map((one) => one.text);
  const answered = isUser ? [] : parts.map(answerIn);
  return {
    ...{ id, role, content: text.join(isUser ? "\n\n" : "") },
    files: isUser ? read(filePart, (type) => type === "file") : [],
    ...{ answers: answered.flat(), endsAsked: answered.at(-1)?.length === 1 },
    ...{ session: about?.session, seen: about?.seen },
  };
}

const metadataSchema = z.looseObject({
  session: pathId.optional().catch(undefined),
  seen: z.int().nonnegative().optional().catch(undefined),
});

function answerIn(one: z.infer<typeof part>): UiAnswer[] {
  const { data } = answeredPart.safeParse(one);
  if (!data) return [];
  const { id: approvalId, approved, reason } = data.approval;
  return [{ approvalId, approved, reason }];
}

function unusedIn({ type }: z.infer<typeof part>): string[] {
  return type === "text" || type === "file" || type === "step-start" ? [] : [type];
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
