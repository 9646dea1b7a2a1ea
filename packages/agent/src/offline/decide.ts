import type { ModelRequest, ToolCall } from "../models/model.ts";
import { arithmeticIn } from "./arithmetic.ts";
import { type Filled, fillArguments } from "./fill-arguments.ts";
import { introduce } from "./introduce.ts";
import { takenUp } from "./open-question.ts";
import { planArguments, planToolAmong } from "./plan-call.ts";
import { type Done, type Exchange, earlierNumbers, exchangesOf, pointsBack, rememberedIn } from "./recall.ts";
import { type Step, stepsOf } from "./steps.ts";
import { ToolIndex } from "./tool-index.ts";
import { askForMissing, askWhich, wordResults, wordSkipped } from "./word-answer.ts";

/** What the model does next: calls, or words, which may ask about steps that wait for the answer. */
export type Decision =
  | { readonly kind: "call"; readonly calls: readonly ToolCall[]; readonly steps: readonly Step[] }
  | { readonly kind: "say"; readonly text: string; readonly asked: readonly Step[] };

/** Decides on the next turn from the conversation alone, so that the same conversation always goes on the same way. */
export function decide(request: ModelRequest): Decision {
  const exchanges = exchangesOf(request.messages);
  const current = exchanges.at(-1);
  if (current === undefined) return say(introduce("", request.tools));
  const planTool = planToolAmong(request.tools);
  const index = new ToolIndex(request.tools.filter((tool) => tool !== planTool));
  const earlier = exchanges.slice(0, -1);
  const steps =
    takenUp(askedBefore(request), current.request, index) ?? stepsOf(current.request, index, earlier);
  if (steps === "dropped") return say("All right, I leave it at that.");
  if (steps.length === 0) return say(introduce(current.request, index.tools));

  const made = request.messages.flatMap((message) =>
    message.role === "assistant" ? message.calls : [],
  ).length;
  if (planTool !== undefined && current.done.every(({ call }) => call.tool !== planTool.name)) {
    const planned = steps.map(({ number, text, tool, after }) => ({ number, text, tool: tool.name, after }));
    const plan = planArguments(planTool, current.request, planned);
    if (plan !== undefined)
      return { kind: "call", calls: [call(`call_${made + 1}_plan`, planTool.name, plan)], steps };
  }
  return nextOf(steps, { earlier, current, made });
}

/** The steps that our last words asked about, found by deciding again as we did then. */
function askedBefore(request: ModelRequest): readonly Step[] {
  const last = request.messages.findLastIndex(({ role }) => role === "user");
  const before = request.messages[last - 1];
  const isQuestion =
    before?.role === "assistant" && before.calls.length === 0 && before.text.trim().endsWith("?");
  if (!isQuestion) return [];
  const decision = decide({ ...request, messages: request.messages.slice(0, last - 1) });
  return decision.kind === "say" ? decision.asked : [];
}

interface Progress {
  readonly earlier: readonly Exchange[];
  readonly current: Exchange;
  readonly made: number;
}

function nextOf(steps: readonly Step[], progress: Progress): Decision {
  const { current, made } = progress;
  const doneOf = (number: number) =>
    current.done.filter(({ call: { id } }) => id.endsWith(`_step_${number}`));
  const isDone = (number: number) => doneOf(number).length > 0;
  const skipped = new Set<number>();
  const waiting = new Map<Step, Filled>();
  const ready: { step: Step; filled: Filled }[] = [];
  for (const step of steps) {
    const blocked = step.after.some((number) => skipped.has(number) || failed(doneOf(number)));
    if (isDone(step.number)) continue;
    if (blocked) skipped.add(step.number);
    else if (step.after.every(isDone)) {
      const filled = fillArguments(step.tool, sourcesOf(step, progress));
      if (filled.calls.length > 0 && step.rivals.length === 0) ready.push({ step, filled });
      else waiting.set(step, filled);
    }
  }
  const calls = ready.flatMap(({ step, filled }) => filled.calls.map((args) => ({ step, args })));
  if (calls.length > 0) {
    const numbered = calls.map(({ step, args }, position) =>
      call(`call_${made + position + 1}_step_${step.number}`, step.tool.name, args),
    );
    return { kind: "call", calls: numbered, steps };
  }
  const results = wordResults(steps.map(({ number, text }) => ({ text, done: doneOf(number) })));
  const left = wordSkipped(steps.filter(({ number }) => skipped.has(number)).map(({ text }) => text));
  const questions = [...waiting].map(([step, filled]) =>
    step.rivals.length > 0 ? askWhich([step.tool, ...step.rivals]) : askForMissing(step.tool, filled.missing),
  );
  const open = steps.filter(({ number }) => !isDone(number) && !skipped.has(number));
  return {
    kind: "say",
    text: [results, left, ...questions].filter((part) => part !== "").join("\n\n"),
    asked: questions.length > 0 ? open : [],
  };
}

function sourcesOf(step: Step, { earlier, current }: Progress) {
  const all = [...earlier, current];
  const mayRecall = step.after.length > 0 || pointsBack(step.text);
  const { base, replies } = step;
  return {
    sentence: step.text,
    arithmetic: arithmeticIn(step.text, earlierNumbers(all)),
    earlier: mayRecall ? rememberedIn(all) : [],
    ...(base !== undefined && { base }),
    ...(replies !== undefined && { replies }),
    ...(step.after.length > 0 && { background: resultsOf(step.after, current) }),
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

function call(id: string, tool: string, args: Readonly<Record<string, unknown>>): ToolCall {
  return { id, tool, arguments: args, text: JSON.stringify(args) };
}

function say(text: string): Decision {
  return { kind: "say", text, asked: [] };
}
