import { createHash } from "node:crypto";
import {
  activeRun,
  essence as essenceOf,
  type HistoryMessage,
  type SessionMessage,
  type SessionState,
} from "@parley/sessions";
import type { UploadedFile } from "../../adapter-host.ts";
import type { TranscriptMessage } from "./chat-command.ts";

/** A comparison may look at the same message many times. */
const essences = new WeakMap<HistoryMessage, string>();
/** So many places are tried where a conversation without its beginning may begin. */
const MAX_PLACES = 100;

/** How far a client's history is the session's. */
export interface ChatMatch {
  /** So many of the client's messages. */
  readonly said: number;
  /** So many of the session's. */
  readonly place: number;
  /** Of an answer there the client has the beginning alone, which may be that of many answers. */
  readonly isShortened: boolean;
}

type Told = HistoryMessage & Partial<Pick<TranscriptMessage, "files">>;
type Known = Pick<SessionState, "messages" | "runs">;

/**
 * Compares from the beginning on. An answer that the client has only the beginning of, because it was cut off, is the
 * same one, also where it went on meanwhile and stands after what the client said next. Files that the client does not
 * send again are taken to be the same.
 */
export function matchChat(state: Known, told: readonly Told[]): ChatMatch {
  const { messages } = state;
  /** Answers that the client received before their place. */
  const early = new Set<HistoryMessage>();
  const underWay = saidSoFar(state);
  let place = 0;
  let isShortened = false;
  for (const [said, message] of told.entries()) {
    while (isPassed(messages[place], message, early)) place++;
    const known = messages[place];
    if (!known) {
      const isUnfinished = message.role === "assistant" && isBeginning(message, underWay.answer);
      return { said: said + (isUnfinished ? 1 : 0), place, isShortened };
    }
    if (isSame(known, message)) {
      isShortened ||= essence(known) !== essence(message);
      place++;
    } else {
      const answer = message.role === "assistant" ? answerTo(state, known, underWay) : undefined;
      if (!answer || !isBeginning(message, answer)) return { said, place, isShortened };
      early.add(answer);
    }
  }
  return { said: told.length, place, isShortened };
}

/** The same for a client that has forgotten how its conversation began: its messages are the session's last ones. */
export function matchTrimmedHistory(state: Known, told: readonly Told[]): ChatMatch | undefined {
  const { messages } = state;
  const [first] = told;
  const begin = first && { ...first, content: essence(first) };
  let left = MAX_PLACES;
  for (let from = messages.length - 1; from > 0 && left > 0; from--) {
    if (!begin || !isSame(messages[from], begin)) continue;
    left--;
    const match = matchChat({ ...state, messages: messages.slice(from) }, told);
    const { said, place } = match;
    const isAsked =
      said === told.length && messages.slice(from + place).every(({ role }) => role === "assistant");
    if (isAsked || (said === told.length - 1 && from + place === messages.length))
      return { ...match, place: from + place };
  }
  return undefined;
}

/** The same files, by what is in them. */
export function hasFilesOf(
  { files = [] }: SessionMessage,
  { files: sent }: Pick<TranscriptMessage, "files">,
): boolean {
  return sent.length === files.length && files.every(({ blob }, place) => blob === hashOf(sent[place]));
}

function isSame(known: SessionMessage | undefined, message: Told): boolean {
  if (known?.role !== message.role) return false;
  if (message.role === "assistant") return isBeginning(message, known);
  const { files = [] } = message;
  return essence(known) === essence(message) && (files.length === 0 || hasFilesOf(known, { files }));
}

/** Whether the client's conversation goes on behind this message of the session's. */
function isPassed(
  known: SessionMessage | undefined,
  message: Told,
  early: ReadonlySet<HistoryMessage>,
): boolean {
  if (known?.role !== "assistant") return false;
  return essence(known) === "" || (early.has(known) && !isSame(known, message));
}

/** The answer that was under way when the user sent this. */
function answerTo(
  state: Known,
  { role, runId }: SessionMessage,
  underWay: ReturnType<typeof saidSoFar>,
): HistoryMessage | undefined {
  if (role !== "user" || runId === undefined) return undefined;
  if (underWay.runId === runId) return underWay.answer;
  return state.messages.find((each) => each.role === "assistant" && each.runId === runId);
}

function isBeginning(message: HistoryMessage, answer: HistoryMessage): boolean {
  return essence(answer).startsWith(essence(message));
}

/** What the run under way has answered until now. */
function saidSoFar({ runs }: Known): {
  readonly runId: string | undefined;
  readonly answer: HistoryMessage;
} {
  const run = activeRun({ runs });
  const texts = [...(run?.texts.values() ?? [])].filter(({ channel }) => channel === "answer");
  return { runId: run?.id, answer: { role: "assistant", content: texts.map(({ text }) => text).join("") } };
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
