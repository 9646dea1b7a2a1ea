import { compareCalls } from "./compare-calls.ts";
import { type Aspect, type Difference, different, type Found } from "./difference.ts";
import { answerText, isAnswer, momentsText, stepText } from "./moment-text.ts";
import type { RecordedPlan, RecordedTurn } from "./recording.ts";

/** All in which the outcome of the same messages is not as it was recorded, in the order in which it happened. */
export function compareTurns(
  expected: readonly RecordedTurn[],
  actual: readonly RecordedTurn[],
  ignored: ReadonlySet<Aspect> = new Set(),
): Difference[] {
  return expected.flatMap((turn, at) => {
    const came = actual[at];
    const found: Found[] = came
      ? compareTurn(turn, came)
      : [{ aspect: "end", what: "the message was not answered", expected: turn.state }];
    const kept = found.filter(({ aspect }) => aspect === "end" || !ignored.has(aspect));
    return kept.map((difference) => ({ message: at + 1, ...difference }));
  });
}

function compareTurn(expected: RecordedTurn, actual: RecordedTurn): Found[] {
  return [
    ...comparePlans(expected.plans ?? [], actual.plans ?? []),
    ...compareCalls(expected, actual),
    ...different("calls", `what ${expected.agent} did`, doneText(expected), doneText(actual)),
    ...different("approvals", "what was asked and answered", answersText(expected), answersText(actual)),
    ...different("end", "how it ended", endText(expected), endText(actual)),
    ...different("text", "the answer", expected.text, actual.text),
  ];
}

function comparePlans(expected: readonly RecordedPlan[], actual: readonly RecordedPlan[]): Found[] {
  const most = Math.max(expected.length, actual.length);
  return Array.from({ length: most }, (_, at) => {
    const [before = [], after = []] = [expected[at], actual[at]];
    const ids = [...new Set([...before, ...after].map(({ id }) => id))];
    const plan = most > 1 ? `plan ${at + 1}, step` : "step";
    return ids.flatMap((id) => {
      const [was, is] = [before, after].map((steps) => steps.find((step) => step.id === id));
      return different("plan", `${plan} ${id}`, was && stepText(was), is && stepText(is));
    });
  }).flat();
}

// What the agent said is the answer, and is compared as such.
function doneText({ does = [] }: RecordedTurn): string {
  return momentsText(does.filter((moment) => !isAnswer(moment)));
}

function answersText({ answers = [] }: RecordedTurn): string {
  return answers.map(answerText).join("\n");
}

function endText({ state, reason }: RecordedTurn): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}
