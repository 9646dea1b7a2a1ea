import { createHash } from "node:crypto";
import type { SessionMessage } from "./session-state.ts";

/** How many of the last messages an agent is shown. */
const SNAPSHOT_MESSAGES = 100;

/** The messages that a run's agent is shown: the last so many, up to and with the one that it answers. */
export function snapshotOf(
  messages: readonly SessionMessage[],
  messageId: string,
): readonly SessionMessage[] {
  const at = messages.findIndex(({ id }) => id === messageId);
  const until = at < 0 ? messages.length : at + 1;
  return messages.slice(Math.max(0, until - SNAPSHOT_MESSAGES), until);
}

/** The same messages have the same hash, in whichever session they stand. */
export function snapshotHash(messages: readonly SessionMessage[]): string {
  const told = messages.map(({ role, content, files = [] }) => [
    role,
    content,
    files.map(({ blob }) => blob),
  ]);
  return createHash("sha256").update(JSON.stringify(told)).digest("hex");
}
