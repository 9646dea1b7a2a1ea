import { activeRun, type Principal, type SessionState, type Sessions } from "@parley/sessions";
import {
  type Resolution,
  resolveAmong,
  type TranscriptMatch,
} from "../conversations/conversation-resolver.ts";
import { familyOf, isInFamily, startingWith } from "../conversations/session-family.ts";
import { unless } from "../problem.ts";
import { matchThread } from "./history-match.ts";
import type { ParsedRunInput } from "./parsing/parse-run-input.ts";
import type { ThreadMessage } from "./parsing/thread-messages.ts";

/** The session of the thread in which a run asked this. */
export async function askedIn(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  approvalId: string,
): Promise<SessionState | undefined> {
  for await (const state of familyOf(sessions, principal, thread))
    if (state.approvals.has(approvalId)) return state;
  return undefined;
}

/**
 * Finds where the last of these messages belongs. A client keeps its thread's id when its history has become a fork, so
 * the thread is the session with all its forks, and the history tells which of them is meant; where it fits several, the
 * one that the client saw last (`seen`).
 */
export async function resolveInThread(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  { said, seen, isWhole }: Pick<ParsedRunInput, "said" | "seen" | "isWhole">,
): Promise<Resolution<ThreadMessage>> {
  const newest = said.at(-1);
  if (!newest) return { kind: "continue", state: thread };
  const last = await seenSession(sessions, principal, thread, seen);
  const history = { before: said.slice(0, -1), newest, isBack: isWhole && last !== undefined };
  const states = startingWith(last, familyOf(sessions, principal, thread));
  const found = await resolveAmong(states, (state) => matchIn(state, history));
  return found ?? { kind: "continue", state: thread };
}

/** The session of the thread in which a client is that says nothing now. */
export async function seenIn(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  { said, seen }: Pick<ParsedRunInput, "said" | "seen">,
): Promise<SessionState> {
  const last = await seenSession(sessions, principal, thread, seen);
  for await (const state of startingWith(last, familyOf(sessions, principal, thread)))
    if (matchThread(state, said).left.length === 0) return state;
  return last ?? thread;
}

interface History {
  readonly before: readonly ThreadMessage[];
  readonly newest: ThreadMessage;
  /** The client was in the thread before, so that what it does not have, it has left out. */
  readonly isBack: boolean;
}

function matchIn(state: SessionState, { before, newest, isBack }: History): TranscriptMatch<ThreadMessage> {
  const { place, left } = matchThread(state, before);
  const message = state.messages.find(({ id }) => id === newest.id);
  const known = message && { message, isUnchanged: message.content === newest.text };
  // The end of an answer may not have reached the client; another question of the user's has.
  const active = activeRun(state)?.id;
  const goesOn = state.messages
    .slice(place)
    // What others say to a run under way shows in its answer.
    .some(({ role, runId }) => role === "user" && (runId === undefined || runId !== active));
  // A client without a history does not contradict the record: it is sent the record.
  const isNew = !isBack && before.every(({ role }) => role === "assistant");
  return { place, left, known, isAtEnd: !goesOn || isNew };
}

/** The session that the client saw last, if it is the thread's or a fork of it. */
async function seenSession(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  id: string | undefined,
): Promise<SessionState | undefined> {
  if (id === undefined) return undefined;
  const seen = id === thread.id ? thread : await unless("not_found", sessions.state(principal, id));
  if (!seen || seen.status === "deleted") return undefined;
  return (await isInFamily(sessions, principal, seen, thread.id)) ? seen : undefined;
}
