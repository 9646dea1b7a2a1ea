import { createHash } from "node:crypto";
import {
  type Approval,
  contextIn,
  isEnded,
  type Run,
  type SessionMessage,
  type SessionState,
  withContext,
} from "@parley/sessions";
import { matchedHistory } from "./matched-history.ts";
import type { Said } from "./said.ts";

/** The mark of a part of a run that a client has to its end: what comes before and after questions are parts. */
export function toldMark(runId: string, part: number): string {
  return `openai:told:${runId}:${part}`;
}

/** The questions of a run that a person was or is asked, in their order. */
export function questionsOf({ approvals }: SessionState, runId: string): readonly Approval[] {
  return [...approvals.values()].filter((asked) => asked.runId === runId && !asked.answer?.always);
}

/** The run that answers a message, or that was under way and told of it. */
export function runOf({ runs }: SessionState, { id, runId }: SessionMessage): Run | undefined {
  const answering = [...runs.values()].findLast(({ messageId }) => messageId === id);
  return answering ?? (runId === undefined ? undefined : runs.get(runId));
}

/** The so many-th question of the run that the last message of the user's here led to in this session. */
export function questionIn(
  state: SessionState,
  told: readonly Said[],
  question: number,
): Approval | undefined {
  const upTo = told.findLastIndex(({ role }) => role === "user") + 1;
  const { said, place } = matchedHistory(state, told.slice(0, upTo));
  const message = said === upTo ? state.messages[place - 1] : undefined;
  const run = message && runOf(state, message);
  return run && questionsOf(state, run.id)[question - 1];
}

/** Whether a part of a run is on its way to its client still, so that asking again is asking for the same. */
export function isOnItsWay(run: Run, marks: ReadonlySet<string>, part = 0): boolean {
  return !isEnded(run) || !marks.has(toldMark(run.id, part));
}

/** The same files, by what is in them. */
export function hasFilesOf({ files = [] }: SessionMessage, { files: sent }: Said): boolean {
  const hashes = sent.map(({ content }) => createHash("sha256").update(content).digest("hex"));
  return hashes.length === files.length && files.every(({ blob }, place) => blob === hashes[place]);
}

/** What is said, with what the client says about the conversation where the session does not have that yet. */
export function contentFor(messages: readonly SessionMessage[], context: string, { content }: Said): string {
  const whole = withContext(context, content);
  const last = messages.findLast(
    ({ role, content: said }) => role === "user" && contextIn(said).context !== "",
  );
  const isKnown = last !== undefined && contextIn(last.content).context === contextIn(whole).context;
  return isKnown ? content : whole;
}
