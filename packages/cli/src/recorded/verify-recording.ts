import { createHash } from "node:crypto";
import { isObject } from "@parley/a2a";
import { type Aspect, comparable, compareTexts, type Difference, type TurnDifference } from "./difference.ts";
import type {
  Moment,
  RecordedAnswer,
  RecordedCall,
  RecordedPlan,
  RecordedTurn,
  Recording,
} from "./recording.ts";
import { type ReplayPlatformOptions, startReplayPlatform } from "./replay-platform.ts";
import { type ReplayRecordingOptions, replayTurns } from "./replay-recording.ts";
import { sequenceDiff } from "./text-diff.ts";

export interface VerifyRecordingOptions extends ReplayPlatformOptions, ReplayRecordingOptions {
  readonly ignored: ReadonlySet<Aspect>;
}

/** The outcome of a recording's messages this time. */
export interface Verification {
  readonly differences: readonly Difference[];
  /** The recording with this time's outcome. */
  readonly outcome: Recording;
  readonly model: string;
}

/** Replays a recording on a temporary platform whose agents answer as recorded, and compares the outcome. */
export async function verifyRecording(
  recording: Recording,
  options: VerifyRecordingOptions,
): Promise<Verification> {
  const platform = await startReplayPlatform(recording, options);
  try {
    const turns = await replayTurns(platform.client, recording, options);
    const differences = compareTurns(recording.turns, turns, options.ignored);
    return { differences, outcome: { ...recording, turns }, model: platform.model };
  } finally {
    await platform.stop();
  }
}

/** All differences from the recorded turns, in order. */
function compareTurns(
  expected: readonly RecordedTurn[],
  actual: readonly RecordedTurn[],
  ignored: ReadonlySet<Aspect>,
): Difference[] {
  return expected.flatMap((turn, at) => {
    const came = actual[at];
    const found: TurnDifference[] = came
      ? compareTurn(turn, came)
      : [{ aspect: "end", what: "the message was not answered", expected: turn.state }];
    const kept = found.filter(({ aspect }) => aspect === "end" || !ignored.has(aspect));
    return kept.map((difference) => ({ message: at + 1, ...difference }));
  });
}

function compareTurn(expected: RecordedTurn, actual: RecordedTurn): TurnDifference[] {
  return [
    ...comparePlans(expected.plans ?? [], actual.plans ?? []),
    ...compareCalls(expected, actual),
    ...compareTexts("calls", `what ${expected.agent} did`, doneText(expected), doneText(actual)),
    ...compareTexts("approvals", "questions and answers", answersText(expected), answersText(actual)),
    ...compareTexts("end", "how it ended", endText(expected), endText(actual)),
    ...compareTexts("text", "the answer", expected.text, actual.text),
  ];
}

function comparePlans(expected: readonly RecordedPlan[], actual: readonly RecordedPlan[]): TurnDifference[] {
  const most = Math.max(expected.length, actual.length);
  return Array.from({ length: most }, (_, at) => {
    const [before = [], after = []] = [expected[at], actual[at]];
    const ids = [...new Set([...before, ...after].map(({ id }) => id))];
    const plan = most > 1 ? `plan ${at + 1}, step` : "step";
    return ids.flatMap((id) => {
      const [was, is] = [before, after].map((steps) => steps.find((step) => step.id === id));
      return compareTexts("plan", `${plan} ${id}`, was && stepText(was), is && stepText(is));
    });
  }).flat();
}

// The agent's text is the answer, and is compared as such.
function doneText({ does = [] }: RecordedTurn): string {
  return momentsText(does.filter((moment) => !isAnswer(moment)));
}

function answersText({ answers = [] }: RecordedTurn): string {
  return answers.map(answerText).join("\n");
}

/** Differences in the calls to agents: who was asked what, in which order, and what they did. */
function compareCalls(expected: RecordedTurn, actual: RecordedTurn): TurnDifference[] {
  const changes = sequenceDiff(expected.calls ?? [], actual.calls ?? [], keyOf);
  const arrived = changes.flatMap((change) => (change.kind === "new" ? [change.actual] : []));
  const found: TurnDifference[] = [];
  for (const change of changes) {
    if (change.kind === "same")
      found.push(...compareCall(change.expected, change.actual, [expected, actual]));
    if (change.kind !== "missing") continue;
    const was = change.expected;
    const moved = takeOut(arrived, (call) => keyOf(call) === keyOf(was));
    const other = moved ? undefined : takeOut(arrived, ({ agent }) => agent === was.agent);
    if (moved) found.push({ aspect: "calls", what: `${named(was)} is in another order` });
    else if (other)
      found.push(...compareTexts("calls", `the request to ${was.agent}`, was.request, other.request));
    else found.push({ aspect: "calls", what: `a call to ${was.agent} is missing`, expected: was.request });
  }
  for (const { agent, request } of arrived)
    found.push({ aspect: "calls", what: `a call to ${agent} is new`, actual: request });
  return found;
}

function compareCall(
  expected: RecordedCall,
  actual: RecordedCall,
  [before, after]: readonly [RecordedTurn, RecordedTurn],
): TurnDifference[] {
  // Where the agent's text is the answer, it is compared as such.
  const isAnswered = saidIn(expected.does) === before.text && saidIn(actual.does) === after.text;
  const doneText = ({ does }: RecordedCall) =>
    momentsText(isAnswered ? does.filter((moment) => !isAnswer(moment)) : does);
  return [
    ...compareTexts(
      "calls",
      `the round of ${named(expected)}`,
      `round ${expected.round}`,
      `round ${actual.round}`,
    ),
    ...compareTexts("calls", `what ${named(expected)} did`, doneText(expected), doneText(actual)),
    ...compareTexts("calls", `how ${named(expected)} ended`, endText(expected), endText(actual)),
  ];
}

function keyOf({ agent, request }: RecordedCall): string {
  return `${agent} ${comparable(request)}`;
}

function named({ agent, request }: RecordedCall): string {
  const [line = ""] = request.split("\n", 1);
  return `${agent} (“${line.length > 60 ? `${line.slice(0, 60)}…` : line}”)`;
}

function endText({ state, reason }: Pick<RecordedCall | RecordedTurn, "state" | "reason">): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}

function takeOut<Item>(items: Item[], fits: (item: Item) => boolean): Item | undefined {
  const at = items.findIndex(fits);
  return at < 0 ? undefined : items.splice(at, 1)[0];
}

/** What an agent did, one or more lines per moment. */
function momentsText(moments: readonly Moment[]): string {
  return moments.map(momentText).join("\n");
}

/** The text of an agent's answer. */
function saidIn(moments: readonly Moment[]): string {
  return moments.map((moment) => (isAnswer(moment) ? moment.says : "")).join("");
}

/** Whether a moment is part of the agent's answer. */
function isAnswer(moment: Moment): moment is Extract<Moment, { says: string }> {
  return "says" in moment && moment.artifact === undefined;
}

function stepText({ id, title, agent, dependencies, state }: RecordedPlan[number]): string {
  const after = dependencies.length > 0 ? `, after ${dependencies.join(", ")}` : "";
  return `${id}: ${title} — ${agent ?? "no agent"}${after} (${state})`;
}

function answerText({ question, agent, decision, text, arguments: given }: RecordedAnswer): string {
  const words = text === undefined ? "" : `: ${text}`;
  const instead = given === undefined ? "" : ` with ${stableJson(given)}`;
  return `${agent ?? "the agent"} asks: ${question} → ${decision}${instead}${words}`;
}

function momentText(moment: Moment): string {
  const by = moment.by === undefined ? "" : `${moment.by} `;
  if ("says" in moment) return `${by}says${moment.artifact ? ` (${moment.artifact})` : ""}: ${moment.says}`;
  if ("asks" in moment) return `${by}asks: ${moment.asks}`;
  if ("brings" in moment)
    return `${by}brings ${moment.brings}: ${stableJson(moment.parts.map(withoutContent))}`;
  const { calls, arguments: given, outcome = "not ended", result } = moment;
  const came = result === undefined ? "" : ` ${stableJson(result)}`;
  return `${by}calls ${calls} ${stableJson(given ?? {})} → ${outcome}${came}`;
}

function withoutContent({ raw, ...part }: Readonly<Record<string, unknown>>): object {
  if (typeof raw !== "string") return part;
  return { ...part, sha256: createHash("sha256").update(raw).digest("hex").slice(0, 16) };
}

/** JSON with sorted members. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}
