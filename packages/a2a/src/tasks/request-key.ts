import type { Message } from "../protocol/model.ts";

/** A caller's name for a request that it may have to repeat, and a digest of what it asked. */
export interface RequestKey {
  readonly key: string;
  readonly hash: string;
}

/** A key in the event that is the request's effect, so that there is never one without the other. */
export interface RecordedKey extends RequestKey {
  readonly owner: string;
}

/** The only event of its stream: an answer without a task, kept so that a repeated request gets the same. */
export interface ReplyEvent {
  readonly reply: Message;
  readonly key: RecordedKey;
}

const REPLY_PREFIX = "reply/";

/** The stream of an answer without a task. */
export function replyStream(id: string): string {
  return `${REPLY_PREFIX}${id}`;
}

/** Whether a stream is that of an answer without a task. */
export function isReplyStream(stream: string): boolean {
  return stream.startsWith(REPLY_PREFIX);
}
