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

function inWords({ text, data, url, raw, filename, mediaType }: Part): string {
  if (text !== undefined) return text;
  if (data !== undefined) return JSON.stringify(data);
  const name = [filename, mediaType].filter(Boolean).join(", ") || "file";
  return url === undefined
    ? `[${name}, ${Math.floor(((raw?.length ?? 0) * 3) / 4)} bytes]`
    : `[${name}: ${url}]`;
}
