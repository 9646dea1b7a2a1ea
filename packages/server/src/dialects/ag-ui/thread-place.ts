import {
  activeRun,
  CommandRefusedError,
  type Principal,
  type SessionMessage,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import { runTakenBy } from "../../api/forked-answer.ts";
import type { SaidMessage } from "./client-messages.ts";
import { matchedHistory } from "./matched-history.ts";
import type { Saying } from "./saying.ts";

/** So many forks of a thread are looked at. */
const MOST_FORKS = 50;

/** Where in the record a client's new message belongs. */
export type ThreadPlace =
  /** The thread goes on in this session. */
  | { readonly kind: "next"; readonly state: SessionState }
  /** The message is there already. */
  | { readonly kind: "known"; readonly state: SessionState; readonly message: SessionMessage }
  /** The client's history is another: the message goes into a fork that begins with so much, and then as the client tells. */
  | {
      readonly kind: "fork";
      readonly state: SessionState;
      readonly messages: number;
      readonly told: readonly SaidMessage[];
    };

/** The thread's session; undefined where the principal has none of this name. */
export async function threadSession(
  sessions: Sessions,
  principal: Principal,
  threadId: string,
): Promise<SessionState | undefined> {
  try {
    return await sessions.state(principal, threadId);
  } catch (error) {
    if (error instanceof CommandRefusedError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** The session of the thread in which a run asked this. */
export async function askedIn(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  approvalId: string,
): Promise<SessionState | undefined> {
  for await (const state of family(sessions, principal, thread))
    if (state.approvals.has(approvalId)) return state;
  return undefined;
}

/**
 * Finds where the last of these messages belongs. A client keeps its thread's id when its history has become a fork, so
 * the thread is the session with all its forks, and the history tells which of them is meant; where it fits several, the
 * one that the client heard of last (`seen`).
 */
export async function placeIn(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  { said, seen, isWhole }: Pick<Saying, "said" | "seen" | "isWhole">,
): Promise<ThreadPlace> {
  const newest = said.at(-1);
  if (!newest) return { kind: "next", state: thread };
  const last = seen === undefined ? undefined : await descendant(sessions, principal, thread, seen);
  const history = { before: said.slice(0, -1), newest, isBack: isWhole && last !== undefined };
  let fork: Extract<ThreadPlace, { kind: "fork" }> | undefined;
  for await (const state of startingWith(last, family(sessions, principal, thread))) {
    const place = placeAt(state, history);
    if (place.kind !== "fork") return place;
    if (!fork || place.told.length < fork.told.length) fork = place;
  }
  return fork ?? { kind: "next", state: thread };
}

/** The session of the thread in which a client is that says nothing now. */
export async function seenIn(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  { said, seen }: Pick<Saying, "said" | "seen">,
): Promise<SessionState> {
  const last = seen === undefined ? undefined : await descendant(sessions, principal, thread, seen);
  for await (const state of startingWith(last, family(sessions, principal, thread)))
    if (matchedHistory(state, said).left.length === 0) return state;
  return last ?? thread;
}

interface History {
  readonly before: readonly SaidMessage[];
  readonly newest: SaidMessage;
  /** The client was in the thread before, so that what it does not have, it has left out. */
  readonly isBack: boolean;
}

/** Where it belongs in one session of the thread. */
function placeAt(state: SessionState, { before, newest, isBack }: History): ThreadPlace {
  const { place, left } = matchedHistory(state, before);
  if (left.length > 0) return { kind: "fork", state, messages: place, told: left };
  const known = state.messages.find(({ id }) => id === newest.id);
  // What a fork began with was answered elsewhere.
  if (known?.content === newest.text && runTakenBy(state, known))
    return { kind: "known", state, message: known };
  if (known) return { kind: "fork", state, messages: known.index, told: [] };
  // The end of an answer may not have reached the client; another question of the person's has.
  const hearing = activeRun(state)?.id;
  const goesOn = state.messages
    .slice(place)
    // What others say to a run under way shows in its answer.
    .some(({ role, runId }) => role === "user" && (runId === undefined || runId !== hearing));
  // A client without a history does not contradict the record: it is told of it.
  const isNew = !isBack && before.every(({ role }) => role === "assistant");
  if (!goesOn || isNew) return { kind: "next", state };
  return { kind: "fork", state, messages: place, told: [] };
}

/** The session of this id, if it is the thread's, or one that was forked from it. */
async function descendant(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  id: string,
): Promise<SessionState | undefined> {
  const found = id === thread.id ? thread : await threadSession(sessions, principal, id);
  let ancestor = found;
  for (let left = MOST_FORKS; ancestor && left > 0; left--) {
    if (ancestor.id === thread.id) return found?.status === "deleted" ? undefined : found;
    const parent = ancestor.parent?.sessionId;
    ancestor = parent === undefined ? undefined : await threadSession(sessions, principal, parent);
  }
  return undefined;
}

async function* startingWith(
  first: SessionState | undefined,
  states: AsyncIterable<SessionState>,
): AsyncGenerator<SessionState> {
  if (first) yield first;
  for await (const state of states) if (state.id !== first?.id) yield state;
}

/** The thread's session, and the forks of it that are nearest, the newest first. */
export async function* family(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
): AsyncGenerator<SessionState> {
  const states = [thread];
  let left = MOST_FORKS;
  for (let state = states.shift(); state; state = states.shift()) {
    yield state;
    for (const { id } of state.children.toReversed()) {
      if (left-- <= 0) break;
      const child = await threadSession(sessions, principal, id);
      if (child && child.status !== "deleted") states.push(child);
    }
  }
}
