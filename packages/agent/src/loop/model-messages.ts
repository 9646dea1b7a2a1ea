import { type Message, memberIn, type Part, sessionSnapshot } from "@parley/a2a";
import type { ModelMessage } from "../models/model.ts";

/** What was said, as a model is shown it. */
export function modelMessage(message: Message): ModelMessage {
  const text = messageText(message);
  return message.role === "ROLE_USER" ? { role: "user", text } : { role: "assistant", text, calls: [] };
}

/** A message as text, its data and files in words. */
export function messageText({ parts }: Message): string {
  return parts.map(inWords).filter(Boolean).join("\n");
}

/** The last messages of the session that a call belongs to, if it brings them along. */
export function snapshotMessages({ metadata }: Message): readonly ModelMessage[] | undefined {
  const session = memberIn(metadata, sessionSnapshot).value;
  return session?.messages.map(({ role, text }) =>
    role === "user" ? { role, text } : { role: "assistant", text, calls: [] },
  );
}

/** So much of a file a model is shown. */
const MOST_CHARACTERS = 100_000;
const TEXTS = /^(?:text\/|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|x-ndjson|sql|javascript)\b)/;

function inWords({ text, data, url, raw, filename, mediaType }: Part): string {
  if (text !== undefined) return text;
  if (data !== undefined) return JSON.stringify(data);
  const name = [filename, mediaType].filter(Boolean).join(", ") || "file";
  if (url !== undefined) return `[${name}: ${url}]`;
  const content = Buffer.from(raw ?? "", "base64");
  const title = `[${name}, ${content.byteLength} bytes]`;
  const words = TEXTS.test(mediaType ?? "") ? decoded(content) : undefined;
  return words === undefined ? title : `${title}:\n${fenced(words)}`;
}

function decoded(content: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    // Whatever its type says, it is no text.
    return undefined;
  }
}

/** Between two lines that it cannot contain: what is in a file does not end it. */
function fenced(words: string): string {
  const longest = Math.max(2, ...(words.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const shown = words.slice(0, MOST_CHARACTERS);
  const rest = words.length - shown.length;
  return `${fence}\n${shown}${rest > 0 ? `\n… and ${rest} characters more` : ""}\n${fence}`;
}
