import { comparable } from "./comparable.ts";
import { different, type Found } from "./difference.ts";
import { isAnswer, momentsText, saidIn } from "./moment-text.ts";
import type { RecordedCall, RecordedTurn } from "./recording.ts";
import { sequenceDiff } from "./sequence-diff.ts";

/** In which calls to agents two outcomes of a message differ: who was asked what, in which order, and what they did. */
export function compareCalls(expected: RecordedTurn, actual: RecordedTurn): Found[] {
  const changes = sequenceDiff(expected.calls ?? [], actual.calls ?? [], keyOf);
  const arrived = changes.flatMap((change) => (change.kind === "new" ? [change.actual] : []));
  const found: Found[] = [];
  for (const change of changes) {
    if (change.kind === "same")
      found.push(...compareCall(change.expected, change.actual, [expected, actual]));
    if (change.kind !== "missing") continue;
    const was = change.expected;
    const moved = takeOut(arrived, (call) => keyOf(call) === keyOf(was));
    const other = moved ? undefined : takeOut(arrived, ({ agent }) => agent === was.agent);
    if (moved) found.push({ aspect: "calls", what: `${named(was)} came in another order` });
    else if (other)
      found.push(...different("calls", `the request to ${was.agent}`, was.request, other.request));
    else found.push({ aspect: "calls", what: `a call of ${was.agent} is missing`, expected: was.request });
  }
  for (const { agent, request } of arrived)
    found.push({ aspect: "calls", what: `a call of ${agent} is new`, actual: request });
  return found;
}

function compareCall(
  expected: RecordedCall,
  actual: RecordedCall,
  [before, after]: readonly [RecordedTurn, RecordedTurn],
): Found[] {
  // Where an agent's words are the answer, they are compared as such.
  const isAnswered = saidIn(expected.does) === before.text && saidIn(actual.does) === after.text;
  const doneText = ({ does }: RecordedCall) =>
    momentsText(isAnswered ? does.filter((moment) => !isAnswer(moment)) : does);
  return [
    ...different(
      "calls",
      `the round of ${named(expected)}`,
      `round ${expected.round}`,
      `round ${actual.round}`,
    ),
    ...different("calls", `what ${named(expected)} did`, doneText(expected), doneText(actual)),
    ...different("calls", `how ${named(expected)} ended`, endText(expected), endText(actual)),
  ];
}

function keyOf({ agent, request }: RecordedCall): string {
  return `${agent} ${comparable(request)}`;
}

function named({ agent, request }: RecordedCall): string {
  const [line = ""] = request.split("\n", 1);
  return `${agent} (“${line.length > 60 ? `${line.slice(0, 60)}…` : line}”)`;
}

function endText({ state, reason }: RecordedCall): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}

function takeOut<Item>(items: Item[], fits: (item: Item) => boolean): Item | undefined {
  const at = items.findIndex(fits);
  return at < 0 ? undefined : items.splice(at, 1)[0];
}
