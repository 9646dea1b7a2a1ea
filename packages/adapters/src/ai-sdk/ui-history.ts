import type { SessionMessage, SessionState } from "@parley/sessions";
import { messageContent } from "../conversations/field-schemas.ts";
import { invalid } from "../problem.ts";
import type { UiFile, UiMessage } from "./ui-request.ts";

const MAX_ID = 100;
const ANSWER = "-answer";

/** What a client says now, after what it has of the conversation. */
export interface NewChatMessage {
  readonly id: string;
  readonly content: string;
  readonly files: readonly UiFile[];
  readonly history: readonly UiMessage[];
}

/** The id of a run's answer in a chat; to a message that came while it ran, it is another one than to its first. */
export function answerId(runId: string, toldOf?: string): string {
  return toldOf === undefined ? `${runId}${ANSWER}` : `${runId}${ANSWER}-${toldOf}`;
}

/** Whether the session has the message, or the run that it is the answer of, here or where it was forked from. */
export function hasMessage(state: SessionState, message: UiMessage): boolean {
  return messagesOf(state)(message);
}

function messagesOf({ messages, runs }: SessionState): (message: UiMessage) => boolean {
  const ids = new Set(messages.map(({ id }) => id));
  const answered = new Set([...runs.keys(), ...messages.map(({ runId }) => runId)]);
  return ({ id, role }) =>
    ids.has(id) || (role === "assistant" && answersIn(id).some(({ runId }) => answered.has(runId)));
}

/** What the session has before a message, for a client that leaves that to us. */
export function recordedBefore({ id: session, messages }: SessionState, last: UiMessage): UiMessage[] {
  const at = messages.findIndex(({ id }) => id === last.id);
  const nothing = { files: [], seen: undefined, answers: [], endsAsked: false };
  return messages
    .slice(0, at < 0 ? undefined : at)
    .map(({ id, role, content }) => ({ id, role, content, session, ...nothing }));
}

/** The last of an agent's. */
export function lastAnswer(messages: readonly UiMessage[]): UiMessage | undefined {
  return messages.findLast(({ role }) => role === "assistant");
}

/** The last message of the chat, with those before it that never reached us. */
export function uiText(messages: readonly UiMessage[], state?: SessionState): NewChatMessage {
  const last = messages.length - 1;
  const { id = "" } = messages[last] ?? {};
  if (id.length > MAX_ID) throw invalid(`body.messages.${last}.id`, `may have ${MAX_ID} characters`);
  const isKnown = state ? messagesOf(state) : () => false;
  const isUnsent = (message: UiMessage | undefined) => message?.role === "user" && !isKnown(message);
  let first = last;
  while (isUnsent(messages[first - 1])) first--;
  const said = messages.slice(first);
  const content = joined(said.map((message) => message.content));
  const files = said.flatMap((message) => message.files);
  if (content.trim() === "" && files.length === 0)
    throw invalid(`body.messages.${last}.parts`, "must say something, or carry a file");
  if (!messageContent.safeParse(content).success)
    throw invalid(`body.messages.${last}.parts`, "must not be so long: send it as a file");
  return { id, content, files, history: messages.slice(0, first) };
}

/**
 * Up to which of the session's messages the client goes along; undefined: it has left some out in between. Those before
 * the first that it has are not missing: clients send the end of long conversations alone.
 */
export function keptOf({ messages, runs }: SessionState, history: readonly UiMessage[]): number | undefined {
  const known = new Set(history.map(({ id }) => id));
  const answers = history.filter(({ role }) => role === "assistant");
  const told = answers.flatMap(({ id }) => answersIn(id));
  const answered = new Set(told.map(({ runId }) => runId));
  const toldOf = new Set(told.map((one) => one.toldOf));
  const texts = new Set(answers.map(({ content }) => content));
  const isKnown = ({ id, role, runId, content }: SessionMessage) => {
    if (known.has(id)) return true;
    if (runId === undefined) return false;
    // A message that was sent to a run under way is part of its answer.
    if (answered.has(runId) || role === "user") return answered.has(runId);
    // A message that came too late for one run is answered by the next, in the same message of the client's.
    const asked = runs.get(runId)?.messageId;
    return asked === undefined ? texts.has(content) : toldOf.has(asked);
  };
  const places = messages.filter(isKnown).map(({ index }) => index);
  const [first = 0] = places;
  // An answer that is not whole yet is no message of the session's: it is where what it answers is.
  const asked = [...runs.values()].findLast(({ id }) => answered.has(id))?.messageId;
  const last = places.at(-1) ?? messages.findIndex(({ id }) => id === asked);
  return places.length === 0 || last - first + 1 === places.length ? last + 1 : undefined;
}

/** Whether the client's history agrees with the session as far as it goes. */
export function isSameHistory(state: SessionState, history: readonly UiMessage[]): boolean {
  const recordedAs = new Map(state.messages.map((message) => [message.id, message]));
  const isKnown = messagesOf(state);
  let unsent: string[] = [];
  for (const message of history) {
    const recorded = recordedAs.get(message.id);
    if (message.role === "user" && recorded) {
      const { content } = recorded;
      if (content !== message.content && content !== joined([...unsent, message.content])) return false;
      unsent = [];
    } else if (message.role === "user") unsent.push(message.content);
    else if (unsent.length > 0 || (message.content !== "" && !isKnown(message))) return false;
  }
  return unsent.length === 0;
}

/** With how many messages both the session and the client begin. */
export function sharedBeginning({ messages }: SessionState, history: readonly UiMessage[]): number {
  const isSame = ({ id, role, content }: SessionMessage, other: UiMessage | undefined) =>
    id === other?.id && (role === "assistant" || content === other.content);
  const parted = messages.findIndex((message, place) => !isSame(message, history[place]));
  return parted < 0 ? messages.length : parted;
}

/** What the client says, where the session has it after the same as the client has. */
export function saidBefore(
  state: SessionState,
  { id, content, history }: NewChatMessage,
): SessionMessage | undefined {
  const message = state.messages.find((one) => one.id === id && one.content === content);
  if (!message || !isSameHistory(state, history)) return undefined;
  const before = { ...state, messages: state.messages.slice(0, message.index) };
  return keptOf(before, history) === message.index ? message : undefined;
}

/** Each run, and the message that it received, whose answer may have this id. */
function answersIn(id: string): { readonly runId: string; readonly toldOf: string | undefined }[] {
  const found = [];
  for (let at = id.indexOf(ANSWER); at >= 0; at = id.indexOf(ANSWER, at + 1)) {
    const rest = id.slice(at + ANSWER.length);
    if (rest === "" || rest.startsWith("-"))
      found.push({ runId: id.slice(0, at), toldOf: rest === "" ? undefined : rest.slice(1) });
  }
  return found;
}

function joined(contents: readonly string[]): string {
  return contents.join("\n\n");
}
