import {
  type Approval,
  durationText,
  filesOf,
  type PlanStep,
  phaseOf,
  type RunPhase,
  type RunRecord,
  type Surroundings,
  type Work,
  workOf,
} from "@parley/client";
import { type Line, type Span, span, wrapped } from "../../terminal/line.ts";
import { fileTitle } from "../ask/answer-files.ts";
import { answeredLines, askedLines } from "./approval-lines.ts";
import type { Block } from "./block.ts";
import { type Around, callLine, laneLines } from "./call-lines.ts";
import { INDENT } from "./markdown-lines.ts";

/** What is shown of a run besides itself. */
export interface RunContext extends Surroundings {
  /** What it was recorded to have said in the end. */
  readonly answer: string | undefined;
  /** What it asked, answered or not. */
  readonly approvals: readonly Approval[];
}

/** A run as it is shown: plan, agents and their calls, questions, the answer, and how it ended or what it is about. */
export function* runBlocks(run: RunRecord, context: RunContext): Generator<Block> {
  yield* workBlocks(run, context);
  yield* answerBlocks(run, context);
  yield* footBlocks(run, context);
}

/** The key of how a run ended: the last thing that is told of it. */
export function endKey({ id }: Pick<RunRecord, "id">): string {
  return `${id}/end`;
}

/** Whether a run has ended. */
export function isOver({ status }: RunRecord): boolean {
  return status !== "running" && status !== "waiting";
}

/** What it said so far, or in the end. */
export function answerOf({ texts }: RunRecord, recorded: string | undefined): string {
  if (recorded !== undefined) return recorded;
  return Object.values(texts)
    .filter(({ channel }) => channel === "answer")
    .map(({ text }) => text)
    .join("");
}

/** All but the words of the answer and its end. */
function* workBlocks(run: RunRecord, { now, approvals }: RunContext): Generator<Block> {
  const over = isOver(run);
  const around = (width: number): Around => ({ now, width, isOver: over });
  const { plan = [] } = run;
  const of = (name: string, isSettled: boolean, lines: (width: number) => readonly Line[]): Block => ({
    kind: "lines",
    key: `${run.id}/${name}`,
    isSettled,
    lines,
  });
  // Another plan is another list, not a change of this one.
  const planKey = `plan/${plan.map(({ id }) => id).join()}`;
  if (plan.length > 0)
    yield of(planKey, over || isPlanEnded(plan), (width) =>
      planLines(plan).flatMap((line) => hanging(line, width)),
    );
  const { lanes, ownCalls } = workOf(run);
  for (const lane of lanes)
    yield of(`lane/${lane.key}`, over || lane.delegation.outcome !== undefined, (width) =>
      laneLines(lane, run.texts, around(width)),
    );
  for (const [at, call] of ownCalls.entries())
    yield of(`call/${call.id}/${at}`, over || call.outcome !== undefined, (width) => [
      callLine(call, around(width)),
    ]);
  for (const approval of approvals)
    if (over || approval.answeredAt !== undefined)
      yield of(`approval/${approval.id}`, true, (width) =>
        answeredLines(approval).flatMap((line) => hanging(line, width)),
      );
    else
      yield of(`asked/${approval.id}`, false, (width) =>
        // An answer that is on its way is not told of as given.
        approval.decision ? [[span("… your answer is on its way", "quiet")]] : askedLines(approval, width),
      );
}

/** What does not fit goes on below, moved to the right. */
function hanging(line: Line, width: number): readonly Line[] {
  return wrapped(line, width, { first: [], rest: [span(`${INDENT}${INDENT}`)] });
}

function* answerBlocks(run: RunRecord, { answer }: RunContext): Generator<Block> {
  const text = answerOf(run, answer);
  if (text !== "") yield { kind: "text", key: `${run.id}/answer`, text, isDone: isOver(run) };
  for (const { key, ...file } of filesOf(run.artifacts ?? {})) {
    const lines = () => [[span("▤ ", "quiet"), span(fileTitle(file))]];
    yield { kind: "lines", key: `${run.id}/artifact/${key}`, isSettled: isOver(run), lines };
  }
}

function* footBlocks(run: RunRecord, context: RunContext): Generator<Block> {
  if (isOver(run))
    yield {
      kind: "lines",
      key: endKey(run),
      isSettled: true,
      lines: (width) => [...endLines(run, width), []],
    };
  else
    yield {
      kind: "lines",
      key: `${run.id}/phase`,
      isSettled: false,
      lines: () => [[span("… ", "notice"), span(phaseText(run, context), "quiet")]],
    };
}

function endLines(run: RunRecord, width: number): readonly Line[] {
  const { startedAt, completedAt, reason = "" } = run;
  const ms = Date.parse(completedAt ?? "") - Date.parse(startedAt ?? "");
  const took = Number.isFinite(ms) ? [durationText(Math.max(0, ms))] : [];
  const summary = [...took, ...summaryOf(workOf(run))].join(" · ");
  switch (run.status) {
    case "failed":
      return wrapped(
        [span("✗ ", "bad"), span(`Failed: ${reason || "no reason was given"}`), span(` ${summary}`, "quiet")],
        width,
      );
    case "cancelled":
      return wrapped(
        [
          span("■ ", "notice"),
          span(`Stopped${reason === "" ? "" : `: ${reason}`}`),
          span(` ${summary}`, "quiet"),
        ],
        width,
      );
    default:
      return [[span("✓ ", "good"), span(`Done ${summary}`, "quiet")]];
  }
}

function summaryOf({ lanes, ownCalls }: Work): string[] {
  const agents = new Set(lanes.map(({ agent }) => agent)).size;
  const calls = lanes.reduce((sum, lane) => sum + lane.calls.length, ownCalls.length);
  return [...counted(agents, "agent"), ...counted(calls, "tool call")];
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`];
}

const MARKS: Readonly<Record<PlanStep["state"], Span>> = {
  pending: span("☐", "quiet"),
  working: span("▸", "notice"),
  waiting: span("?", "notice"),
  completed: span("✓", "good"),
  failed: span("✗", "bad"),
  canceled: span("■", "notice"),
  skipped: span("⤼", "quiet"),
};
const ENDED = new Set<PlanStep["state"]>(["completed", "failed", "canceled", "skipped"]);

/** The plan as a checklist: what is done, what is under way, and who does it. */
function planLines(steps: readonly PlanStep[]): readonly Line[] {
  return [
    [span("Plan", "strong")],
    ...steps.map(
      ({ state, title, agent }): Line => [
        span("  "),
        MARKS[state] ?? MARKS.pending,
        span(` ${title}`, state === "skipped" ? "quiet" : "plain"),
        ...(agent === undefined ? [] : [span(`  ${agent}`, "quiet")]),
      ],
    ),
  ];
}

/** Whether nothing of the plan is still to be done. */
function isPlanEnded(steps: readonly PlanStep[]): boolean {
  return steps.every(({ state }) => ENDED.has(state));
}

/** What a run under way is about, never just "busy"; with the seconds since it is so. */
function phaseText(run: RunRecord, around: Surroundings): string {
  const phase = phaseOf(run, around);
  // Those say how it goes on, and not how long it has.
  const isTimed = "since" in phase && phase.name !== "stopping" && phase.name !== "writing";
  const elapsed = isTimed ? Math.floor((around.now - phase.since) / 1_000) * 1_000 : 0;
  const words = wordsOf(phase);
  return elapsed >= 1_000 ? `${words} (${durationText(elapsed).replace(".0", "")})` : words;
}

function wordsOf(phase: RunPhase): string {
  switch (phase.name) {
    case "starting":
      return "Starting";
    case "planning":
      return "Planning";
    case "thinking":
      return "Thinking";
    case "writing":
      return "Writing";
    case "stopping":
      return "Stopping";
    case "agents":
      return `Waiting for ${phase.agents.join(" and ")}`;
    case "tool":
      return `Using ${phase.tool.replaceAll("__", " · ")}`;
    case "you":
      return "Waiting for you";
    case "stalled":
      return "Nothing heard for a while";
    case "completed":
      return "Done";
    case "failed":
    case "interrupted":
      return "Failed";
    case "cancelled":
      return "Stopped";
  }
}
