import { createHash, randomUUID } from "node:crypto";
import type { Message } from "../../protocol/model.ts";

const MESSAGE = "v01-message-";
const ARTIFACT = "v01-artifact-";

/** An id for a message that a caller sent without one; v0.1 has none. */
export function newMessageId(): string {
  return `${MESSAGE}${randomUUID()}`;
}

/** Whether we made this id up, so that it means nothing to the peer. */
export function isMadeUpMessageId(messageId: string): boolean {
  return messageId.startsWith(MESSAGE);
}

/** The id of the artifact with this number. */
export function artifactIdOf(index: number): string {
  return `${ARTIFACT}${index}`;
}

/** Gives the messages of one answer or stream ids from what they say, so that asking again gives the same. */
export class MessageNames {
  readonly #seen = new Map<string, number>();

  /** The message with an id: its own, or one made from its content and how often that was seen before. */
  named(message: Message): Message {
    if (message.messageId !== "") return message;
    const { messageId: _, ...content } = message;
    const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 24);
    const before = this.#seen.get(digest) ?? 0;
    this.#seen.set(digest, before + 1);
    return { ...message, messageId: `${MESSAGE}${digest}-${before}` };
  }
}
