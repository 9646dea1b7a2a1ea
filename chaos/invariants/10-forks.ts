import type { EventOf } from "@parley/sessions";
import { type SessionEntry, sessionsIn } from "../evidence/evidence.ts";
import { difference, findingOn, type Invariant } from "./invariant.ts";

/** A fork begins with exactly the messages of its parent that it names. */
export const forks: Invariant = {
  id: "10",
  promise: "a fork is exactly the prefix",
  check(evidence) {
    const sessions = sessionsIn(evidence);
    const made = [...sessions].flatMap(([id, entries]) => {
      const { parent } = (entries[0]?.event ?? {}) as Partial<EventOf<"session_created">>;
      return parent ? [{ id, entries, parent }] : [];
    });
    return findingOn(made, ({ id, entries, parent }) => {
      const end = entries.findIndex(({ event }) => event.type === "fork");
      const own = messagesIn(entries.slice(0, end));
      const before = messagesIn(sessions.get(parent.sessionId) ?? []).slice(0, parent.messages);
      const [expected, found] = [JSON.stringify(before), JSON.stringify(own)];
      if (expected === found) return undefined;
      return {
        what: `a fork of ${parent.sessionId} is not its beginning`,
        session: id,
        ...difference(expected, found),
      };
    });
  },
};

/** The messages of a session with their roles, in order. */
export function messagesIn(entries: readonly SessionEntry[]): string[][] {
  return entries.flatMap(({ event }) => {
    switch (event.type) {
      case "user_message":
        return [["user", event.content]];
      case "agent_message":
        return [["assistant", event.content]];
      case "agent_complete":
      case "agent_cancelled":
        return event.messageId === undefined ? [] : [["assistant", event.content]];
      default:
        return [];
    }
  });
}
