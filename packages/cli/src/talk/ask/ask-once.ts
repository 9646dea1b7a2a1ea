import {
  type ApiClient,
  type Approval,
  activeRunIn,
  EventFeed,
  emptyRecord,
  evolveRecord,
  filesOf,
  newId,
  type RunRecord,
  recordFold,
  runOf,
  type SessionRecord,
} from "@parley/client";
import { CommandError, EXIT, type ExitCode } from "../../command-error.ts";
import { apiKey, BACKOFF } from "../../server-address.ts";
import { untilInterrupted } from "../../terminal/interruption.ts";
import { plainText, visibleJson } from "../../terminal/plain-text.ts";
import type { TalkOptions } from "../talk-options.ts";
import { isPermission } from "../view/approval-lines.ts";
import { answerOf, isOver } from "../view/run-blocks.ts";
import { contextOf, recordedConversation } from "../view/session-blocks.ts";
import { followedEvents, readEvents } from "../watch/followed-events.ts";
import { fileLines, keptFiles, type ToldFile } from "./answer-files.ts";
import { PipedAnswer } from "./piped-answer.ts";
import { RunDisplay } from "./run-display.ts";

/** A run to follow, and the session as it was before. */
interface Asking {
  readonly record: SessionRecord;
  readonly runId: string;
  /** The question that was answered by what was said. */
  readonly answered?: string;
}

/** A server that restarts is waited for. */
const PATIENTLY = { attempts: 12 };

/** Says what there is to say, in a session that there is or in a new one, as an answer where one is asked for; with nothing to say, finds the run that is under way. */
async function beginAsking(options: AskOptions, signal: AbortSignal): Promise<Asking> {
  const { client, agent, message, sessionId, decision } = options;
  const patiently = { ...PATIENTLY, signal };
  const chosen = agent === undefined ? {} : { agent };
  if (sessionId === undefined) {
    const id = newId("ses");
    await client.createSession({ id, ...chosen }, patiently);
    const { run } = await client.postMessage(id, { content: message ?? "" }, patiently);
    return { record: emptyRecord(id), runId: run.id };
  }
  const record = await recordOf(client, sessionId);
  const run = activeRunIn(record);
  const waiting =
    run && Object.values(record.approvals).find((each) => each.runId === run.id && !each.decision);
  const answer = waiting && isPermission(waiting) ? decision : "answered";
  if (run && waiting && message !== undefined && answer !== undefined) {
    await client.answerApproval(sessionId, waiting.id, { decision: answer, text: message }, patiently);
    return { record, runId: run.id, answered: waiting.id };
  }
  // Where leave is asked for, and nobody has decided, that comes first.
  if (run && (waiting || message === undefined)) return { record, runId: run.id };
  if (message === undefined)
    throw new CommandError(`Nothing waits in session ${sessionId}: say what you want to ask`, EXIT.usage);
  const posted = await client.postMessage(sessionId, { content: message, ...chosen }, patiently);
  return { record, runId: posted.run.id };
}

/** A session as its events so far tell; a `CommandError` where there is none. */
async function recordOf(client: ApiClient, sessionId: string): Promise<SessionRecord> {
  let record = emptyRecord(sessionId);
  const evolve = recordFold();
  for await (const event of readEvents(client, sessionId)) record = evolve(record, event);
  return record;
}

type Outcome =
  | { readonly status: "ended"; readonly run: RunRecord; readonly answer: string }
  | { readonly status: "waiting"; readonly approval: Approval }
  | { readonly status: "timeout" | "interrupted" };

/** Asks one thing, or takes up what waits, and follows it to its end: the answer on stdout, all else on stderr. */
export async function askOnce(options: AskOptions): Promise<ExitCode> {
  const { timeoutMs } = options;
  using interrupted = untilInterrupted();
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = timeout ? AbortSignal.any([interrupted.signal, timeout]) : interrupted.signal;
  const display = new RunDisplay(options);
  const piped = options.isJson || process.stdout.isTTY ? undefined : new PipedAnswer(process.stdout);
  let asking: Asking | undefined;
  let outcome: Outcome | undefined;
  try {
    asking = await beginAsking(options, signal);
    outcome = await follow(options, { ...asking, display, piped, signal });
  } catch (error) {
    // Whoever does not want to wait any more is not told of what that broke off.
    if (!signal.aborted) throw error;
  } finally {
    display.end();
  }
  const status = interrupted.signal.aborted ? "interrupted" : "timeout";
  const answer = outcome?.status === "ended" ? outcome.answer : undefined;
  piped?.end(answer);
  if (!asking) throw new CommandError("It was broken off before it began: try again", exitCodeOf(status));
  const run = outcome?.status === "ended" ? outcome.run : undefined;
  const files = await keptFiles(filesOf(run?.artifacts ?? {}), options);
  return told(options, asking, { outcome: outcome ?? { status }, files });
}

interface Following extends Asking {
  readonly display: RunDisplay;
  readonly piped: PipedAnswer | undefined;
  readonly signal: AbortSignal;
}

/** Until the run has ended or waits for the user; undefined: until nobody wants to wait any more. */
async function follow(options: AskOptions, { record: before, runId, ...following }: Following) {
  const { display, piped, signal } = following;
  const { client, server, isJson, decision } = options;
  const { id: sessionId } = before;
  const answered = new Set([following.answered]);
  const patiently = { ...PATIENTLY, signal };
  let record = before;
  const look = async (): Promise<Outcome | undefined> => {
    const run = runOf(record, runId);
    if (!run) return undefined;
    const context = contextOf(run, recordedConversation(record), Date.now());
    display.show(run, context);
    const answer = answerOf(run, context.answer);
    if (isOver(run)) return { status: "ended", run, answer };
    piped?.grow(answer);
    const approval = context.approvals.find(({ id, decision: given }) => !given && !answered.has(id));
    if (!approval) return undefined;
    // What is allowed always is asked and answered at one time: the server knows whether it waits.
    const { run: now } = await client.readRun(sessionId, runId, patiently);
    if (now.status !== "waiting") return undefined;
    if (decision === undefined || !isPermission(approval)) return { status: "waiting", approval };
    answered.add(approval.id);
    await client.answerApproval(sessionId, approval.id, { decision }, patiently);
    return undefined;
  };
  const first = await look();
  if (first) return first;
  const feed = new EventFeed({ baseUrl: server, key: apiKey(), sessionIds: [sessionId], backoff: BACKOFF });
  const onConnection = (isLive: boolean) => display.connection(isLive);
  const wanted = { wanted: [sessionId], since: { [sessionId]: before.index } };
  for await (const event of followedEvents({ client, feed, signal, onConnection, ...wanted })) {
    record = evolveRecord(record, event);
    if (isJson) process.stdout.write(`${visibleJson(event)}\n`);
    const outcome = await look();
    if (outcome) return outcome;
  }
  return undefined;
}

function told(
  options: AskOptions,
  { record, runId }: Asking,
  { outcome, files }: { readonly outcome: Outcome; readonly files: readonly ToldFile[] },
): ExitCode {
  const { id: sessionId } = record;
  const url = `${options.server}/s/${sessionId}`;
  const sentence = sentenceOf(options, { sessionId, url }, outcome);
  const isEnded = outcome.status === "ended";
  const status = isEnded ? outcome.run.status : outcome.status;
  const answer = isEnded ? outcome.answer : undefined;
  if (options.isJson) {
    const reason = isEnded ? outcome.run.reason : sentence;
    const summary = { type: "summary", sessionId, runId, url, status, answer, reason, files };
    process.stdout.write(`${visibleJson(summary)}\n`);
  }
  for (const line of fileLines(files, url)) process.stderr.write(`${line}\n`);
  if (sentence !== undefined) process.stderr.write(`${sentence}\n`);
  return exitCodeOf(status);
}

function exitCodeOf(status: string): ExitCode {
  if (status === "completed") return EXIT.done;
  return status === "interrupted" ? EXIT.interrupted : EXIT.failed;
}

/** Why there is no answer, and what to do; undefined: there is one. */
function sentenceOf(
  { timeoutMs = 0 }: AskOptions,
  { sessionId, url }: { readonly sessionId: string; readonly url: string },
  outcome: Outcome,
): string | undefined {
  const goesOn = `the run goes on: parley chat --session ${sessionId}, or ${url}`;
  switch (outcome.status) {
    case "waiting":
      return waitingSentence(outcome.approval, url);
    case "timeout":
      return `There was no answer within ${timeoutMs / 1_000} s; ${goesOn}`;
    case "interrupted":
      return `You left; ${goesOn}`;
    case "ended": {
      const { status, reason = "no reason was given" } = outcome.run;
      if (status === "completed") return undefined;
      return `${status === "failed" ? "The run failed" : "The run was stopped"}: ${plainText(reason)}`;
    }
  }
}

function waitingSentence(approval: Approval, url: string): string {
  const { sessionId, question, tool, arguments: given } = approval;
  const again = `parley chat --session ${sessionId}`;
  return isPermission(approval)
    ? `It waits for your approval of ${plainText(tool ?? "")} ${visibleJson(given ?? {})}: answer with "${again} --yes" or "--no", or at ${url}`
    : `It waits for your answer to "${plainText(question)}": give it with ${again} "your answer", or at ${url}`;
}

/** How one question is asked by a program, or where nobody can answer back. */
interface AskOptions extends TalkOptions {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** What is answered when leave is asked for, with the message as the reason where it waits already; undefined: it is left to the user. */
  readonly decision?: "approved" | "denied" | undefined;
  /** Where the files of the answer are stored. */
  readonly folder?: string | undefined;
  readonly timeoutMs?: number | undefined;
}
