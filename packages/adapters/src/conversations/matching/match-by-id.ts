import type { SessionMessage, SessionState } from "@parley/sessions";
import type { TranscriptMatch, TranscriptMessage } from "../transcript.ts";

const ANSWER = "-answer";

/** A message whose id is the same in every request. */
export interface IdentifiedMessage extends TranscriptMessage {
  readonly id: string;
}

/** A client's new message, after the client's own history. */
export interface MessageInHistory<Message extends IdentifiedMessage> {
  readonly id: string;
  readonly content: string;
  readonly history: readonly Message[];
}

/** The id of a run's answer in a chat; the answer to a message that came while it ran (`received`) has another one. */
export function answerId(runId: string, received?: string): string {
  return received === undefined ? `${runId}${ANSWER}` : `${runId}${ANSWER}-${received}`;
}

/** Compares a history with stable ids with a session: it is the client's own, so what it lacks it has removed. */
export function matchById<Message extends IdentifiedMessage>(
  state: SessionState,
  newest: MessageInHistory<Message>,
): TranscriptMatch<Message> {
  const message = findRepeated(state, newest);
  if (message)
    return { place: message.index, left: [], known: { message, isUnchanged: true }, isAtEnd: false };
  const { history } = newest;
  const place = agreedPlace(state, history);
  if (place !== undefined) return { place, left: [], isAtEnd: place === state.messages.length };
  const shared = sharedBeginning(state, history);
  return { place: shared, left: history.slice(shared), isAtEnd: false };
}

/** The new message, where the session has it after the same history as the client has. */
export function findRepeated(
  state: SessionState,
  { id, content, history }: MessageInHistory<IdentifiedMessage>,
): SessionMessage | undefined {
  const message = state.messages.find((one) => one.id === id && one.content === content);
  if (!message || !isSameHistory(state, history)) return undefined;
  const before = { ...state, messages: state.messages.slice(0, message.index) };
  return keptPlace(before, history) === message.index ? message : undefined;
}

/** After how many of the session's messages a client is whose history agrees with it; undefined: it does not. */
export function agreedPlace(state: SessionState, history: readonly IdentifiedMessage[]): number | undefined {
  return isSameHistory(state, history) ? keptPlace(state, history) : undefined;
}

/** Whether the session has a message, or the run that it is the answer of, here or where it was forked from. */
export function knownMessages({ messages, runs }: SessionState): (message: IdentifiedMessage) => boolean {
  const ids = new Set(messages.map(({ id }) => id));
  const answered = new Set([...runs.keys(), ...messages.map(({ runId }) => runId)]);
  return ({ id, role }) =>
    ids.has(id) || (role === "assistant" && answersIn(id).some(({ runId }) => answered.has(runId)));
}

/** Texts of messages that never reached us are sent with the next one. */
export function joinTexts(contents: readonly string[]): string {
  return contents.join("\n\n");
}

/**
 * Up to which of the session's messages the client goes along; undefined: it has left some out in between. Those before
 * the first that it has are not missing: clients send the end of long conversations alone.
 */
function keptPlace(
  { messages, runs }: SessionState,
  history: readonly IdentifiedMessage[],
): number | undefined {
  const known = new Set(history.map(({ id }) => id));
  const answers = history.filter(({ role }) => role === "assistant");
  const parsed = answers.flatMap(({ id }) => answersIn(id));
  const answered = new Set(parsed.map(({ runId }) => runId));
  const received = new Set(parsed.map((one) => one.received));
  const texts = new Set(answers.map(({ content }) => content));
  const isKnown = ({ id, role, runId, content }: SessionMessage) => {
    if (known.has(id)) return true;
    if (runId === undefined) return false;
    // A message that was sent to a run under way is part of its answer.
    if (answered.has(runId) || role === "user") return answered.has(runId);
    // A message that came too late for one run is answered by the next, in the same message of the client's.
    const asked = runs.get(runId)?.messageId;
    return asked === undefined ? texts.has(content) : received.has(asked);
  };
  const places = messages.filter(isKnown).map(({ index }) => index);
  const [first = 0] = places;
  // An answer that is not whole yet is no message of the session's: it is where the message is that it answers.
  const asked = [...runs.values()].findLast(({ id }) => answered.has(id))?.messageId;
  const last = places.at(-1) ?? messages.findIndex(({ id }) => id === asked);
  return places.length === 0 || last - first + 1 === places.length ? last + 1 : undefined;
}

/** Whether the client's history agrees with the session as far as it goes. */
function isSameHistory(state: SessionState, history: readonly IdentifiedMessage[]): boolean {
  const recordedAs = new Map(state.messages.map((message) => [message.id, message]));
  const isKnown = knownMessages(state);
  let unsent: string[] = [];
  for (const message of history) {
    const recorded = recordedAs.get(message.id);
    if (message.role === "user" && recorded) {
      const { content } = recorded;
      if (content !== message.content && content !== joinTexts([...unsent, message.content])) return false;
      unsent = [];
    } else if (message.role === "user") unsent.push(message.content);
    else if (unsent.length > 0 || (message.content !== "" && !isKnown(message))) return false;
  }
  return unsent.length === 0;
}

/** With how many messages both the session and the client begin. */
function sharedBeginning({ messages }: SessionState, history: readonly IdentifiedMessage[]): number {
  const isSame = ({ id, role, content }: SessionMessage, other: IdentifiedMessage | undefined) =>
    id === other?.id && (role === "assistant" || content === other.content);
  const parted = messages.findIndex((message, place) => !isSame(message, history[place]));
  return parted < 0 ? messages.length : parted;
}

/** Each run, and the message that it received, whose answer may have this id. */
function answersIn(id: string): { readonly runId: string; readonly received: string | undefined }[] {
  const found = [];
  for (let at = id.indexOf(ANSWER); at >= 0; at = id.indexOf(ANSWER, at + 1)) {
    const rest = id.slice(at + ANSWER.length);
    if (rest === "" || rest.startsWith("-"))
      found.push({ runId: id.slice(0, at), received: rest === "" ? undefined : rest.slice(1) });
  }
  return found;
}
