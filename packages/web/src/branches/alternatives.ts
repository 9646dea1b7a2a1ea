import type { SessionView } from "../app/session-view.ts";
import type { Family, Member, Origin } from "./family.ts";

/**
 * A place in a conversation at which branches may part: the number of a message, or, half a step after it, the answer
 * to it.
 */
export type Place = number;

export function answerTo(message: Place): Place {
  return message + 0.5;
}

/** The branches that say something of their own at a place, each as the session to go to, and which of them this is. */
export interface Alternatives {
  readonly sessions: readonly string[];
  readonly at: number;
}

/** What else there is at a place of a session; undefined: nothing. */
export function alternativesAt(family: Family, id: string, place: Place): Alternatives | undefined {
  const first = (sessionId: string) => firstAuthor(family, authorOf(family, sessionId, place), place);
  const origin = first(id);
  const relatives = [...family.values()].filter((member) => first(member.id) === origin);
  const byAuthor = Map.groupBy(relatives, (member) => authorOf(family, member.id, place));
  const ordered = [...byAuthor].sort(([one], [other]) =>
    bornAt(family, one).localeCompare(bornAt(family, other)),
  );
  const sessions = ordered.flatMap(([, members]) => bestOf(members, id, place) ?? []);
  return sessions.length < 2 ? undefined : { sessions, at: sessions.indexOf(id) };
}

/** The session that wrote what stands at this place: messages before a fork are the parent's. */
function authorOf(family: Family, id: string, place: Place): string {
  const origin = family.get(id)?.origin;
  return origin === undefined || partsAt(origin) <= place ? id : authorOf(family, origin.sessionId, place);
}

/** The author of the first version of what stands at this place. */
function firstAuthor(family: Family, author: string, place: Place): string {
  const origin = family.get(author)?.origin;
  if (origin === undefined || partsAt(origin) !== place) return author;
  return firstAuthor(family, authorOf(family, origin.sessionId, place), place);
}

/** A retry shares the message with its parent; only the answer differs. */
function partsAt({ messages, reason }: Origin): Place {
  return reason === "retry" ? answerTo(messages) : messages;
}

/** A deleted session is older than its forks. */
function bornAt(family: Family, id: string): string {
  return family.get(id)?.createdAt ?? "";
}

/** Of the sessions with the same item here: this one, or else the last active one; none if there is no item. */
function bestOf(members: readonly Member[], id: string, place: Place): string | undefined {
  if (members.some((member) => member.id === id)) return id;
  const speaking = members.filter(
    ({ metadata }) => metadata.messageCount > place || !Number.isInteger(place),
  );
  return speaking.toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt))[0]?.id;
}

/** Where in the conversation the answer of a run stands. */
export function placeOfRun(view: SessionView, runId: string): Place {
  return answerTo(view.message(view.run(runId)?.messageId ?? "")?.index ?? -1);
}

/** Where an answer stands whose run is in another session: after the message that began that run. */
export function placeOfAnswer(view: SessionView, messageId: string): Place {
  const messages = view.shown()?.messages ?? [];
  const at = view.message(messageId)?.index ?? 0;
  const asked = messages
    .slice(0, at)
    // A message with a run was sent while that was active, and did not start another.
    .findLast(({ role, metadata }) => role === "user" && metadata.agentRunId === undefined);
  return answerTo(asked?.index ?? -1);
}
