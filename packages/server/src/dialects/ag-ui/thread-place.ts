import type { Message } from "@ag-ui/core";
import {
  CommandRefusedError,
  type ForkPoint,
  type Principal,
  type SessionMessage,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import { type SaidMessage, saidIn } from "./client-messages.ts";

/** So many forks of a thread are looked at. */
const MOST_FORKS = 50;

/** Where in the record a client's new message belongs. */
export type ThreadPlace =
  /** The thread goes on in this session. */
  | { readonly kind: "next"; readonly state: SessionState }
  /** The message is there already. */
  | { readonly kind: "known"; readonly state: SessionState; readonly message: SessionMessage }
  /** The client's history is another: the message goes into a fork that begins with so much. */
  | { readonly kind: "fork"; readonly state: SessionState; readonly at: ForkPoint };

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
 * the thread is the session with all its forks, and the history tells which of them is meant.
 */
export async function placeIn(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  messages: readonly Message[],
): Promise<ThreadPlace> {
  const said = saidIn(messages);
  const newest = said.at(-1);
  if (!newest) return { kind: "next", state: thread };
  const before = said.slice(0, -1);
  let fork: ThreadPlace | undefined;
  for await (const state of family(sessions, principal, thread)) {
    const place = placeAt(state, before, newest);
    if (place && place.kind !== "fork") return place;
    fork ??= place;
  }
  return fork ?? { kind: "next", state: thread };
}

/** Where it belongs in one session of the thread; undefined: the history is not this session's. */
function placeAt(
  state: SessionState,
  before: readonly SaidMessage[],
  newest: SaidMessage,
): ThreadPlace | undefined {
  const known = state.messages.find(({ id }) => id === newest.id);
  if (known?.content === newest.text) return { kind: "known", state, message: known };
  if (known) return { kind: "fork", state, at: { messages: known.index } };
  const places = new Map(state.messages.map((message) => [message.id, message]));
  const shared = before.filter(({ id }) => places.has(id));
  const edited = shared.find(({ id, role, text }) => role === "user" && places.get(id)?.content !== text);
  const index = (edited && places.get(edited.id)?.index) ?? -1;
  if (index >= 0) return { kind: "fork", state, at: { messages: index } };
  const last = shared.at(-1);
  // A client without a history does not contradict the record: it is told of it.
  if (!last) return before.length === 0 ? { kind: "next", state } : undefined;
  const isWhole = last.id === before.at(-1)?.id || !before.slice(before.indexOf(last) + 1).some(isOurs);
  const place = places.get(last.id)?.index ?? 0;
  // The end of an answer may not have reached the client; another question of the person's has.
  const goesOn = state.messages.slice(place + 1).some(({ role }) => role === "user");
  if (!goesOn && isWhole) return { kind: "next", state };
  return goesOn ? { kind: "fork", state, at: { messages: place + 1 } } : undefined;
}

/** An answer that Parley gave: if it is not in this session, it is in another of the thread. */
function isOurs({ role, id }: SaidMessage): boolean {
  return role === "assistant" && id.endsWith("-answer");
}

/** The thread's session, and the forks of it that are nearest, the newest first. */
async function* family(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
): AsyncGenerator<SessionState> {
  const states = [thread];
  let left = MOST_FORKS;
  for (let state = states.shift(); state; state = states.shift()) {
    yield state;
    for (const { id } of state.children.toReversed()) {
      if (left-- <= 0) return;
      const child = await threadSession(sessions, principal, id);
      if (child && child.status !== "deleted") states.push(child);
    }
  }
}
