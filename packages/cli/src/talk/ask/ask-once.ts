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
import { type AnswerFile, fileLines, saveFiles } from "./answer-files.ts";
import { PipedAnswer } from "./piped-answer.ts";
import { RunDisplay } from "./run-display.ts";

/** A run to follow, and the session before it. */
interface StartedRun {
  readonly record: SessionRecord;
  readonly runId: string;
  /** The question that the message answered. */
  readonly answered?: string;
}

/** Waits for a server that restarts. */
const RETRY = { attempts: 12 };

/** Sends the message to a new or an existing session, or as the answer to its open question; without a message, finds the active run. */
async function startRun(options: AskOptions, signal: AbortSignal): Promise<StartedRun> {
  const { client, agent, message, sessionId, decision } = options;
  const retry = { ...RETRY, signal };
  const chosen = agent === undefined ? {} : { agent };
  if (sessionId === undefined) {
    const id = newId("ses");
    await client.createSession({ id, ...chosen }, retry);
    const { run } = await client.postMessage(id, { content: message ?? "" }, retry);
    return { record: emptyRecord(id), runId: run.id };
  }
  const record = await recordOf(client, sessionId);
  const run = activeRunIn(record);
  const waiting =
    run && Object.values(record.approvals).find((each) => each.runId === run.id && !each.decision);
  const answer = waiting && isPermission(waiting) ? decision : "answered";
  if (run && waiting && message !== undefined && answer !== undefined) {
    await client.answerApproval(sessionId, waiting.id, { decision: answer, text: message }, retry);
    return { record, runId: run.id, answered: waiting.id };
  }
  // An open approval without a decision comes first.
  if (run && (waiting || message === undefined)) return { record, runId: run.id };
  if (message === undefined)
    throw new CommandError(`Session ${sessionId} is not waiting for input; add a question`, EXIT.usage);
  const posted = await client.postMessage(sessionId, { content: message, ...chosen }, retry);
  return { record, runId: posted.run.id };
}

/** Reads a session's record; a `CommandError` where it does not exist. */
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

/** Sends one message or resumes a waiting run, and follows it to its end: the answer on stdout, everything else on stderr. */
export async function askOnce(options: AskOptions): Promise<ExitCode> {
  const { timeoutMs } = options;
  using interrupted = untilInterrupted();
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = timeout ? AbortSignal.any([interrupted.signal, timeout]) : interrupted.signal;
  const display = new RunDisplay(options);
  const piped = options.isJson || process.stdout.isTTY ? undefined : new PipedAnswer(process.stdout);
  let started: StartedRun | undefined;
  let outcome: Outcome | undefined;
  try {
    started = await startRun(options, signal);
    outcome = await follow(options, { ...started, display, piped, signal });
  } catch (error) {
    // Errors after an interruption or a timeout are its consequence.
    if (!signal.aborted) throw error;
  } finally {
    display.end();
  }
  const status = interrupted.signal.aborted ? "interrupted" : "timeout";
  const answer = outcome?.status === "ended" ? outcome.answer : undefined;
  piped?.end(answer);
  if (!started) throw new CommandError("Stopped before the message was sent; try again", exitCodeOf(status));
  const run = outcome?.status === "ended" ? outcome.run : undefined;
  const files = await saveFiles(filesOf(run?.artifacts ?? {}), options);
  return report(options, started, { outcome: outcome ?? { status }, files });
}

interface Following extends StartedRun {
  readonly display: RunDisplay;
  readonly piped: PipedAnswer | undefined;
  readonly signal: AbortSignal;
}

/** Follows the run until it ends or waits for the user; undefined after an interruption or a timeout. */
async function follow(options: AskOptions, { record: before, runId, ...following }: Following) {
  const { display, piped, signal } = following;
  const { client, server, isJson, decision } = options;
  const { id: sessionId } = before;
  const answered = new Set([following.answered]);
  const retry = { ...RETRY, signal };
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
    // An always-allowed tool is asked and answered at once: only the server knows whether the run waits.
    const { run: now } = await client.readRun(sessionId, runId, retry);
    if (now.status !== "waiting") return undefined;
    if (decision === undefined || !isPermission(approval)) return { status: "waiting", approval };
    answered.add(approval.id);
    await client.answerApproval(sessionId, approval.id, { decision }, retry);
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

function report(
  options: AskOptions,
  { record, runId }: StartedRun,
  { outcome, files }: { readonly outcome: Outcome; readonly files: readonly AnswerFile[] },
): ExitCode {
  const { id: sessionId } = record;
  const url = `${options.server}/s/${sessionId}`;
  const note = reasonText(options, { sessionId, url }, outcome);
  const isEnded = outcome.status === "ended";
  const status = isEnded ? outcome.run.status : outcome.status;
  const answer = isEnded ? outcome.answer : undefined;
  if (options.isJson) {
    const reason = isEnded ? outcome.run.reason : note;
    const summary = { type: "summary", sessionId, runId, url, status, answer, reason, files };
    process.stdout.write(`${visibleJson(summary)}\n`);
  }
  for (const line of fileLines(files, url)) process.stderr.write(`${line}\n`);
  if (note !== undefined) process.stderr.write(`${note}\n`);
  return exitCodeOf(status);
}

function exitCodeOf(status: string): ExitCode {
  if (status === "completed") return EXIT.done;
  return status === "interrupted" ? EXIT.interrupted : EXIT.failed;
}

/** Why there is no answer, and what to do; undefined where there is one. */
function reasonText(
  { timeoutMs = 0 }: AskOptions,
  { sessionId, url }: { readonly sessionId: string; readonly url: string },
  outcome: Outcome,
): string | undefined {
  const continues = `the run continues: parley chat --session ${sessionId}, or ${url}`;
  switch (outcome.status) {
    case "waiting":
      return waitingText(outcome.approval, url);
    case "timeout":
      return `No answer within ${timeoutMs / 1_000} s; ${continues}`;
    case "interrupted":
      return `Interrupted; ${continues}`;
    case "ended": {
      const { status, reason = "no reason given" } = outcome.run;
      if (status === "completed") return undefined;
      return `${status === "failed" ? "The run failed" : "The run was stopped"}: ${plainText(reason)}`;
    }
  }
}

function waitingText(approval: Approval, url: string): string {
  const { sessionId, question, tool, arguments: given } = approval;
  const again = `parley chat --session ${sessionId}`;
  return isPermission(approval)
    ? `Waiting for your approval of ${plainText(tool ?? "")} ${visibleJson(given ?? {})}: answer with "${again} --yes" or "--no", or at ${url}`
    : `Waiting for your answer to "${plainText(question)}": answer with ${again} "your answer", or at ${url}`;
}

/** Options for one message, from a program or where nobody can answer questions. */
interface AskOptions extends TalkOptions {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** The answer to every approval, with the message as its reason where one is open already; undefined leaves it to the user. */
  readonly decision?: "approved" | "denied" | undefined;
  /** Where the files of the answer are saved. */
  readonly folder?: string | undefined;
  readonly timeoutMs?: number | undefined;
}
