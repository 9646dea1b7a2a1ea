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
import { answeredLines, questionLines } from "./approval-lines.ts";
import type { Block } from "./block.ts";
import { type CallContext, callLine, laneLines } from "./call-lines.ts";
import { INDENT } from "./markdown-lines.ts";

/** What the display of a run depends on besides the run. */
export interface RunContext extends Surroundings {
  /** Its recorded final answer. */
  readonly answer: string | undefined;
  /** Its questions, answered or not. */
  readonly approvals: readonly Approval[];
}

/** A run on the screen: plan, agents and their calls, questions, the answer, and its end or phase. */
export function* runBlocks(run: RunRecord, context: RunContext): Generator<Block> {
  yield* workBlocks(run, context);
  yield* answerBlocks(run, context);
  yield* footBlocks(run, context);
}

/** The key of a run's last block. */
export function endKey({ id }: Pick<RunRecord, "id">): string {
  return `${id}/end`;
}

/** Whether a run has ended. */
export function isOver({ status }: RunRecord): boolean {
  return status !== "running" && status !== "waiting";
}

/** The answer so far, or the final one. */
export function answerOf({ texts }: RunRecord, recorded: string | undefined): string {
  if (recorded !== undefined) return recorded;
  return Object.values(texts)
    .filter(({ channel }) => channel === "answer")
    .map(({ text }) => text)
    .join("");
}

/** Everything except the answer and the end. */
function* workBlocks(run: RunRecord, { now, approvals }: RunContext): Generator<Block> {
  const over = isOver(run);
  const around = (width: number): CallContext => ({ now, width, isOver: over });
  const { plan = [] } = run;
  const of = (name: string, isSettled: boolean, lines: (width: number) => readonly Line[]): Block => ({
    kind: "lines",
    key: `${run.id}/${name}`,
    isSettled,
    lines,
  });
  // A new plan is a new list, not a change of the old one.
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
        // An answer that is being sent is not shown as given.
        approval.decision ? [[span("… sending your answer", "quiet")]] : questionLines(approval, width),
      );
}

/** Wraps a line with a hanging indent. */
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
        [span("✗ ", "bad"), span(`Failed: ${reason || "no reason given"}`), span(` ${summary}`, "quiet")],
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

/** The plan as a checklist with states and agents. */
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

/** Whether every step has ended. */
function isPlanEnded(steps: readonly PlanStep[]): boolean {
  return steps.every(({ state }) => ENDED.has(state));
}

/** The phase of an active run, with its duration. */
function phaseText(run: RunRecord, around: Surroundings): string {
  const phase = phaseOf(run, around);
  // These phases are shown without a duration.
  const isTimed = "since" in phase && phase.name !== "stopping" && phase.name !== "writing";
  const elapsed = isTimed ? Math.floor((around.now - phase.since) / 1_000) * 1_000 : 0;
  const words = wordsOf(phase);
  return elapsed >= 1_000 ? `${words} (${durationText(elapsed).replace(".0", "")})` : words;
}

const PHASES: Readonly<Record<Exclude<RunPhase["name"], "agents" | "tool">, string>> = {
  starting: "Starting",
  planning: "Planning",
  thinking: "Thinking",
  writing: "Writing",
  stopping: "Stopping",
  you: "Waiting for you",
  stalled: "No activity for a while",
  completed: "Done",
  failed: "Failed",
  interrupted: "Failed",
  cancelled: "Stopped",
};

function wordsOf(phase: RunPhase): string {
  if (phase.name === "agents") return `Waiting for ${phase.agents.join(" and ")}`;
  if (phase.name === "tool") return `Using ${phase.tool.replaceAll("__", " · ")}`;
  return PHASES[phase.name];
}
