import { createHash } from "node:crypto";
import {
  activeRun,
  essence as essenceOf,
  type HistoryMessage,
  type SessionMessage,
  type SessionState,
} from "@parley/sessions";
import type { UploadedFile } from "../../adapter-host.ts";
import { answerText } from "../session-reading.ts";
import type { TranscriptMessage } from "../transcript.ts";

/** Cached, because a comparison looks at the same message many times. */
const essences = new WeakMap<HistoryMessage, string>();
/** How many places are tried where a history without its beginning may begin. */
const MAX_PLACES = 100;

/** How far a client's history is the session's. */
export interface ContentMatch {
  /** How many of the client's messages the session has. */
  readonly matched: number;
  /** How many of the session's messages these are. */
  readonly place: number;
  /** The client has only the beginning of one of the answers, which other answers may share. */
  readonly isShortened: boolean;
}

type Message = TranscriptMessage<UploadedFile>;
type Recorded = Pick<SessionState, "messages" | "runs">;

/**
 * Compares a history without message ids with a session, from the beginning on. An answer that was cut off is the
 * recorded one, also where that went on meanwhile and stands after what the client said next. Files that the client
 * does not send again are taken to be the same.
 */
export function matchByContent(state: Recorded, history: readonly Message[]): ContentMatch {
  const { messages } = state;
  /** Answers that the client received before their place. */
  const early = new Set<HistoryMessage>();
  const active = activeRun(state);
  const partial: HistoryMessage = { role: "assistant", content: answerText(active?.texts) };
  let place = 0;
  let isShortened = false;
  for (const [matched, message] of history.entries()) {
    while (isPassed(messages[place], message, early)) place++;
    const recorded = messages[place];
    if (!recorded) {
      const isUnfinished = message.role === "assistant" && isBeginning(message, partial);
      return { matched: matched + (isUnfinished ? 1 : 0), place, isShortened };
    }
    if (isSame(recorded, message)) {
      isShortened ||= essence(recorded) !== essence(message);
      place++;
      continue;
    }
    if (message.role !== "assistant" || recorded.role !== "user" || recorded.runId === undefined)
      return { matched, place, isShortened };
    // The answer that was under way when the user sent the recorded message.
    const { runId } = recorded;
    const answer =
      active?.id === runId
        ? partial
        : messages.find((each) => each.role === "assistant" && each.runId === runId);
    if (!answer || !isBeginning(message, answer)) return { matched, place, isShortened };
    early.add(answer);
  }
  return { matched: history.length, place, isShortened };
}

/** The same for a client that dropped the beginning of its history: its messages are the session's last ones. */
export function matchTrimmedHistory(state: Recorded, history: readonly Message[]): ContentMatch | undefined {
  const { messages } = state;
  const [first] = history;
  const begin = first && { ...first, content: essence(first) };
  let left = MAX_PLACES;
  for (let from = messages.length - 1; from > 0 && left > 0; from--) {
    if (!begin || !isSame(messages[from], begin)) continue;
    left--;
    const match = matchByContent({ ...state, messages: messages.slice(from) }, history);
    const place = from + match.place;
    const isRepeated =
      match.matched === history.length && messages.slice(place).every(({ role }) => role === "assistant");
    if (isRepeated || (match.matched === history.length - 1 && place === messages.length))
      return { ...match, place };
  }
  return undefined;
}

/** Whether both have the same files, by content. */
export function hasFilesOf({ files = [] }: SessionMessage, { files: sent = [] }: Message): boolean {
  return sent.length === files.length && files.every(({ blob }, at) => blob === hashOf(sent[at]));
}

function isSame(recorded: SessionMessage | undefined, message: Message): boolean {
  if (recorded?.role !== message.role) return false;
  if (message.role === "assistant") return isBeginning(message, recorded);
  return essence(recorded) === essence(message) && (!message.files?.length || hasFilesOf(recorded, message));
}

/** Whether the client's history goes on behind this recorded message. */
function isPassed(
  recorded: SessionMessage | undefined,
  message: Message,
  early: ReadonlySet<HistoryMessage>,
): boolean {
  if (recorded?.role !== "assistant") return false;
  return essence(recorded) === "" || (early.has(recorded) && !isSame(recorded, message));
}

function isBeginning(message: HistoryMessage, answer: HistoryMessage): boolean {
  return essence(answer).startsWith(essence(message));
}

function essence(message: HistoryMessage): string {
  const known = essences.get(message) ?? essenceOf(message);
  essences.set(message, known);
  return known;
}

const hashes = new WeakMap<UploadedFile, string>();

function hashOf(file: UploadedFile | undefined): string {
  if (!file) return "";
  const hash = hashes.get(file) ?? createHash("sha256").update(file.content).digest("hex");
  hashes.set(file, hash);
  return hash;
}
