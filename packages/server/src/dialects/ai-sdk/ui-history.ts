import type { SessionMessage, SessionState } from "@parley/sessions";
import { invalid } from "../../api/problem.ts";
import type { UiFile, UiMessage } from "./ui-request.ts";

const LONGEST_ID = 100;

/** What a client says now, after what it has of the conversation. */
export interface Said {
  readonly id: string;
  readonly content: string;
  readonly files: readonly UiFile[];
  readonly history: readonly UiMessage[];
}

/** The id of a run's answer in a chat; to a message that came while it ran, it is another one than to its first. */
export function answerId(runId: string, toldOf?: string): string {
  return toldOf === undefined ? `${runId}-answer` : `${runId}-answer-${toldOf}`;
}

/** Whether the session has the message, or the run that it is the answer of. */
export function hasMessage({ messages, runs }: SessionState, { id, role }: UiMessage): boolean {
  if (messages.some((message) => message.id === id)) return true;
  return role === "assistant" && [...runs.keys()].some((runId) => isAnswer(id, runId));
}

/** The last message of the chat, with those before it that never reached us. */
export function saidIn(messages: readonly UiMessage[], state?: SessionState): Said {
  const last = messages.length - 1;
  const { id = "" } = messages[last] ?? {};
  if (id.length > LONGEST_ID) throw invalid(`body.messages.${last}.id`, `may have ${LONGEST_ID} characters`);
  const isUnsent = (message: UiMessage | undefined) =>
    message?.role === "user" && !(state && hasMessage(state, message));
  let first = last;
  while (isUnsent(messages[first - 1])) first--;
  const said = messages.slice(first);
  const content = joined(said.map((message) => message.content));
  const files = said.flatMap((message) => message.files);
  if (content.trim() === "" && files.length === 0)
    throw invalid(`body.messages.${last}.parts`, "must say something, or carry a file");
  return { id, content, files, history: messages.slice(0, first) };
}

/** How many of the session's messages the client has, up to the first that it has not; undefined: all. */
export function keptOf({ messages, runs }: SessionState, history: readonly UiMessage[]): number | undefined {
  const known = new Set(history.map(({ id }) => id));
  const isKnown = ({ id, role, runId = "" }: SessionMessage) => {
    if (known.has(id) || role === "user") return known.has(id);
    const asked = runs.get(runId)?.messageId;
    // A message that one run heard of too late is answered by the next, in the same message of the client's.
    return history.some((message) => isAnswer(message.id, runId) || message.id.endsWith(`-answer-${asked}`));
  };
  const first = messages.find((message) => !isKnown(message));
  return first?.index;
}

/** Whether the client tells the conversation as the session has it, as far as it goes. */
export function isSameHistory(state: SessionState, history: readonly UiMessage[]): boolean {
  let unsent: string[] = [];
  for (const message of history) {
    const recorded = state.messages.find(({ id }) => id === message.id);
    if (message.role === "user" && recorded) {
      const { content } = recorded;
      if (content !== message.content && content !== joined([...unsent, message.content])) return false;
      unsent = [];
    } else if (message.role === "user") unsent.push(message.content);
    else if (unsent.length > 0 || (message.content !== "" && !hasMessage(state, message))) return false;
  }
  return unsent.length === 0;
}

function isAnswer(id: string, runId: string): boolean {
  return id === answerId(runId) || id.startsWith(`${answerId(runId)}-`);
}

function joined(contents: readonly string[]): string {
  return contents.join("\n\n");
}
