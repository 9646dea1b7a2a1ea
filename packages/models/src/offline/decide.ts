import type { ModelRequest, ToolDefinition } from "../model.ts";
import { arithmeticIn } from "./arithmetic.ts";
import { carryOut } from "./carry-out.ts";
import { callOf, type Decision, say } from "./decision.ts";
import { type Filled, fillArguments, type Sources } from "./fill-arguments.ts";
import { introduce } from "./introduce.ts";
import { entriesOf, filesSpokenOf, type LookUp, lookUpAmong, missingFile } from "./look-up.ts";
import { takenUp } from "./open-question.ts";
import { carriesOut, PLAN_CALL, planArguments, planToolAmong } from "./plan-call.ts";
import {
  type Done,
  type Exchange,
  earlierNumbers,
  exchangesOf,
  leansBack,
  pointsBack,
  rememberedIn,
  saidIn,
} from "./recall.ts";
import { type Step, stepsOf } from "./steps.ts";
import { ToolIndex } from "./tool-index.ts";
import { askForMissing, askWhich, wordResults, wordSkipped } from "./word-answer.ts";

/** How many questions in a row are gone back over: each costs as much as the whole conversation. */
const MAX_QUESTIONS = 20;

/** Decides on the next turn from the conversation alone, so that the same conversation always goes on the same way. */
export function decide(request: ModelRequest): Decision {
  return decideAfter(request, MAX_QUESTIONS);
}

function decideAfter(request: ModelRequest, questions: number): Decision {
  const exchanges = exchangesOf(request.messages);
  const current = exchanges.at(-1);
  if (current === undefined) return say([introduce("", request.tools)]);
  const planTool = planToolAmong(request.tools);
  const index = new ToolIndex(request.tools.filter((tool) => tool !== planTool));
  const earlier = exchanges.slice(0, -1);
  const steps =
    takenUp(askedBefore(request, questions), current.request, index) ??
    stepsOf(current.request, index, earlier);
  if (steps === "dropped") return say(["All right, I leave it at that."]);
  const progress = { earlier, current, made: callsIn(request), lookUp: lookUpAmong(index.tools) };
  if (planTool !== undefined && carriesOut(planTool) && (steps.length > 0 || current.plans.length > 0)) {
    const sources = (step: Step) => sourcesOf(step, { ...progress, hasResults: false });
    const decision = carryOut(steps, { ...progress, planTool, sourcesOf: sources });
    if (decision !== undefined) return decision;
  }
  // A tool that died of its call is gone from the tools; what came of it is still to be told.
  if (steps.length === 0 && current.done.length > 0)
    return say([wordResults([{ text: current.request, done: current.done }])]);
  if (steps.length === 0) return say([introduce(current.request, index.tools)]);
  if (planTool !== undefined && current.plans.length === 0) {
    const planned = steps.map((step) => ({ ...step, tool: step.tool.name, order: step.text }));
    const plan = planArguments(planTool, current.request, planned);
    const id = `call_${progress.made + 1}${PLAN_CALL}`;
    if (plan !== undefined) return { kind: "call", calls: [callOf(id, planTool.name, plan)], steps };
  }
  return nextOf(steps, progress);
}

function callsIn({ messages }: ModelRequest): number {
  return messages.flatMap((message) => (message.role === "assistant" ? message.calls : [])).length;
}

/** The steps that our last words asked about, found by deciding again as we did then. */
function askedBefore(request: ModelRequest, questions: number): readonly Step[] {
  const last = request.messages.findLastIndex(({ role }) => role === "user");
  const before = request.messages[last - 1];
  const isQuestion =
    before?.role === "assistant" && before.calls.length === 0 && before.text.trim().endsWith("?");
  if (!isQuestion || questions === 0) return [];
  const messages = request.messages.slice(0, last - 1);
  const decision = decideAfter({ ...request, messages }, questions - 1);
  return decision.kind === "say" ? decision.asked : [];
}

interface Progress {
  readonly earlier: readonly Exchange[];
  readonly current: Exchange;
  readonly made: number;
  readonly lookUp: LookUp | undefined;
}

function nextOf(steps: readonly Step[], progress: Progress): Decision {
  const { current, made, lookUp } = progress;
  const doneAs = (ending: string) => current.done.filter(({ call: { id } }) => id.endsWith(ending));
  const doneOf = (number: number) => doneAs(`_step_${number}`);
  const isDone = (number: number) => doneOf(number).length > 0;
  const skipped = new Set<number>();
  const waiting = new Map<Step, Filled>();
  const calls: { step: Step; args: Readonly<Record<string, unknown>>; looksWith?: ToolDefinition }[] = [];
  for (const step of steps) {
    const blocked = step.after.some((number) => skipped.has(number) || failed(doneOf(number)));
    if (isDone(step.number)) continue;
    if (blocked) skipped.add(step.number);
    else if (step.after.every(isDone)) {
      const looked = doneAs(`_look_${step.number}`);
      const filled = filledFor(step, looked, progress);
      if (step.rivals.length > 0) waiting.set(step, filled);
      else if (filled.calls.length > 0) calls.push(...filled.calls.map((args) => ({ step, args })));
      else if (lookUp !== undefined && looked.length === 0 && missingFile(filled) !== undefined)
        calls.push({ step, args: lookUp.arguments, looksWith: lookUp.tool });
      else waiting.set(step, filled);
    }
  }
  if (calls.length > 0) {
    const numbered = calls.map(({ step, args, looksWith }, position) =>
      callOf(
        `call_${made + position + 1}_${looksWith === undefined ? "step" : "look"}_${step.number}`,
        (looksWith ?? step.tool).name,
        args,
      ),
    );
    return { kind: "call", calls: numbered, steps };
  }
  const results = wordResults(steps.map(({ number, text }) => ({ text, done: doneOf(number) })));
  const left = wordSkipped(steps.filter(({ number }) => skipped.has(number)));
  const questions = [...waiting].map(([step, filled]) =>
    step.rivals.length > 0
      ? askWhich([step.tool, ...step.rivals])
      : askForMissing(step.tool, filled.missing, doneAs(`_look_${step.number}`).flatMap(entriesOf)),
  );
  const open = steps.filter(({ number }) => !isDone(number) && !skipped.has(number));
  return say([results, left, ...questions], questions.length > 0 ? open : []);
}

/** The arguments of a step, with the file that it speaks of where looking has found it. */
function filledFor(step: Step, looked: readonly Done[], progress: Progress): Filled {
  const sources = sourcesOf(step, { ...progress, hasResults: true });
  const filled = fillArguments(step.tool, sources);
  const missing = missingFile(filled);
  const [file, ...others] = missing === undefined ? [] : filesSpokenOf(step.text, looked);
  // One of several would be a guess.
  if (missing === undefined || file === undefined || others.length > 0) return filled;
  return fillArguments(step.tool, { ...sources, base: { ...sources.base, [missing.name]: file } });
}

interface Known extends Progress {
  /** Whether what the step waits for was found already. */
  readonly hasResults: boolean;
}

function sourcesOf(step: Step, { earlier, current, hasResults }: Known): Sources {
  const all = [...earlier, current];
  const waits = step.after.length > 0;
  const leans = !waits && leansBack(step.text);
  const { base, replies } = step;
  return {
    sentence: step.text,
    arithmetic: arithmeticIn(step.text, earlierNumbers(all)),
    earlier: waits || pointsBack(step.text) ? rememberedIn(all) : [],
    ...(base !== undefined && { base }),
    ...(replies !== undefined && { replies }),
    background: {
      said: leans ? saidIn(earlier) : [],
      results: [...(leans ? current.background : []), ...(hasResults ? resultsOf(step.after, current) : [])],
    },
  };
}

/** What the steps that this one waits for came to, for whoever does it and did not see them. */
function resultsOf(after: readonly number[], { done }: Exchange): string[] {
  return done.flatMap(({ call: { id }, outcome }) =>
    after.some((number) => id.endsWith(`_step_${number}`)) && outcome !== undefined
      ? [outcome.text.trim()]
      : [],
  );
}

function failed(done: readonly Done[]): boolean {
  return done.length > 0 && done.every(({ outcome }) => outcome === undefined || outcome.failed);
}
