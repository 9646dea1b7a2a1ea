import { type Approval, EventFeed, evolveRecord, type RunRecord, runOf } from "@parley/client";
import { EXIT, type ExitCode } from "../../command-error.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { visibleJson } from "../../terminal/visible-json.ts";
import { BACKOFF } from "../backoff.ts";
import { isPermission } from "../view/approval-lines.ts";
import { answerOf, isOver } from "../view/run-blocks.ts";
import { contextOf, recordedConversation } from "../view/session-blocks.ts";
import { followedEvents } from "../watch/followed-events.ts";
import { interruption } from "../watch/interruption.ts";
import type { AskOptions } from "./ask-options.ts";
import { type Asking, beginAsking, PATIENTLY } from "./begin-asking.ts";
import { RunDisplay } from "./run-display.ts";

/** How it came out. */
type Outcome =
  | { readonly status: "ended"; readonly run: RunRecord; readonly answer: string }
  | { readonly status: "waiting"; readonly approval: Approval }
  | { readonly status: "timeout" | "interrupted" };

/** Asks one thing, or takes up what waits, and follows it to its end: the answer on stdout, all else on stderr. */
export async function askOnce(options: AskOptions): Promise<ExitCode> {
  const { timeoutMs } = options;
  using interrupted = interruption();
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = timeout ? AbortSignal.any([interrupted.signal, timeout]) : interrupted.signal;
  const asking = await beginAsking(options);
  const display = new RunDisplay(options);
  const outcome = await follow(options, { ...asking, display, signal }).finally(() => display.end());
  const { id: sessionId } = asking.record;
  const place = { sessionId, runId: asking.runId, url: `${options.server}/s/${sessionId}` };
  if (outcome) return told(options, place, outcome);
  return told(options, place, { status: interrupted.signal.aborted ? "interrupted" : "timeout" });
}

interface Following extends Asking {
  readonly display: RunDisplay;
  readonly signal: AbortSignal;
}

/** Until the run has ended or waits for the user; undefined: until nobody wants to wait any more. */
async function follow(options: AskOptions, { record: before, runId, ...following }: Following) {
  const { display, signal } = following;
  const { client, server, isJson, decision } = options;
  const { id: sessionId } = before;
  const answered = new Set([following.answered]);
  let record = before;
  const look = async (): Promise<Outcome | undefined> => {
    const run = runOf(record, runId);
    if (!run) return undefined;
    const context = contextOf(run, recordedConversation(record), Date.now());
    display.show(run, context);
    if (isOver(run)) return { status: "ended", run, answer: answerOf(run, context.answer) };
    const approval = context.approvals.find(({ id, decision: given }) => !given && !answered.has(id));
    if (!approval) return undefined;
    // What is allowed always is asked and answered at one time: the server knows whether it waits.
    const { run: now } = await client.readRun(sessionId, runId, PATIENTLY);
    if (now.status !== "waiting") return undefined;
    if (decision === undefined || !isPermission(approval)) return { status: "waiting", approval };
    answered.add(approval.id);
    await client.answerApproval(sessionId, approval.id, { decision }, PATIENTLY);
    return undefined;
  };
  const first = await look();
  if (first) return first;
  const feed = new EventFeed({ baseUrl: server, sessionIds: [sessionId], backoff: BACKOFF });
  const onConnection = (isLive: boolean) => display.connection(isLive);
  const since = { [sessionId]: before.index };
  for await (const event of followedEvents({
    client,
    feed,
    wanted: [sessionId],
    since,
    signal,
    onConnection,
  })) {
    record = evolveRecord(record, event);
    if (isJson) process.stdout.write(`${visibleJson(event)}\n`);
    const outcome = await look();
    if (outcome) return outcome;
  }
  return undefined;
}

interface Place {
  readonly sessionId: string;
  readonly runId: string;
  readonly url: string;
}

function told(options: AskOptions, place: Place, outcome: Outcome): ExitCode {
  const sentence = sentenceOf(options, place, outcome);
  const isEnded = outcome.status === "ended";
  const status = isEnded ? outcome.run.status : outcome.status;
  const answer = isEnded ? outcome.answer : "";
  if (options.isJson) {
    const reason = isEnded ? outcome.run.reason : sentence;
    const summary = {
      type: "summary",
      ...place,
      status,
      ...(isEnded && { answer }),
      ...(reason && { reason }),
    };
    process.stdout.write(`${visibleJson(summary)}\n`);
  } else if (answer !== "" && !process.stdout.isTTY) process.stdout.write(`${plainText(answer).trimEnd()}\n`);
  if (sentence !== undefined) process.stderr.write(`${sentence}\n`);
  if (status === "completed") return EXIT.done;
  return status === "interrupted" ? EXIT.interrupted : EXIT.failed;
}

/** Why there is no answer, and what to do; undefined: there is one. */
function sentenceOf(
  { timeoutMs = 0 }: AskOptions,
  { sessionId, url }: Place,
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
