import type { ToolDefinition } from "../model.ts";
import { type Choice, chooseTool } from "./choose-tool.ts";
import { fillArguments } from "./fill-arguments.ts";
import { type Exchange, GOES_ON, leansBack, pointsBack, REPEATS } from "./recall.ts";
import { splitRequest } from "./split-request.ts";
import type { ToolIndex } from "./tool-index.ts";
import { takesRequests } from "./whole-request.ts";

const FURTHEST_BACK = 5;
const LONGEST_SPLIT = 2_000;
const MAX_LOOKS = 30_000;

/** One thing to do for a request; numbers count from 1. */
export interface Step {
  readonly number: number;
  readonly text: string;
  readonly tool: ToolDefinition;
  /** Other tools that the sentence may mean as well. */
  readonly rivals: readonly ToolDefinition[];
  readonly after: readonly number[];
  /** Arguments of the call that a sentence like "and in Rome?" goes back to. */
  readonly base?: Readonly<Record<string, unknown>>;
  /** What the user answered to questions for what was missing. */
  readonly replies?: readonly string[];
}

/** What a request asks for, step by step; none where no tool fits. */
export function stepsOf(request: string, index: ToolIndex, earlier: readonly Exchange[]): Step[] {
  const choices = new Map<string, Choice | undefined>();
  const choose = (text: string) => {
    if (!choices.has(text)) choices.set(text, chooseTool(text, index, earlier));
    return choices.get(text);
  };
  // Each choice costs a look at all tools and their properties.
  const mayChoose = () => choices.size * index.size < MAX_LOOKS;
  const areApart = (left: string, right: string) => mayChoose() && areForOthers(choose(left), choose(right));
  const isTask = (text: string) => mayChoose() && index.standsAlone(text) && choose(text) !== undefined;
  // A long text is something to work on, and not a list of orders.
  const split = request.length > LONGEST_SPLIT ? [] : splitRequest(request, { isTask, areApart });
  const clauses = split.length > 0 ? split : [{ text: request.trim(), stage: 0 }];
  const steps = clauses.flatMap(({ text, stage }) => {
    const choice = choose(text);
    return choice === undefined ? [] : [{ text, stage, tool: choice[0], rivals: choice.slice(1) }];
  });
  const ordered = steps.map(({ text, stage, tool, rivals }, position) => {
    const before = steps.findLast((other) => other.stage < stage)?.stage;
    const after = steps.flatMap((other, index) => {
      const waits = other.stage === before || (index === position - 1 && pointsBack(text));
      return waits && index < position ? [index + 1] : [];
    });
    return { number: position + 1, text, tool, rivals, after };
  });
  return ordered.length > 0 ? ordered : followUp(request, index, earlier);
}

/** Whether two parts are for agents of which none could do both. */
function areForOthers(left: Choice | undefined, right: Choice | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return [...left, ...right].every(takesRequests) && !left.some((tool) => right.includes(tool));
}

/** A sentence that only makes sense after the one before: "and in Rome?", "the same for Lund", "once more". */
function followUp(request: string, index: ToolIndex, earlier: readonly Exchange[]): Step[] {
  const last = lastCall(index, earlier);
  if (last === undefined) return [];
  const step = { number: 1, text: request, rivals: [], after: [], ...last };
  // Who takes requests in words is told what this one goes on from.
  if (REPEATS.test(request) || (takesRequests(last.tool) && leansBack(request))) return [step];
  if (!GOES_ON.test(request)) return [];
  const text = request.replace(/^\s*(?:(?:and|or|but|now)\s*)?(?:what about|how about)\s+/i, "for ");
  const { given } = fillArguments(last.tool, { sentence: text });
  return given > 0 ? [{ ...step, text }] : [];
}

/** The newest call, as it was made or, where only words are left of it, as it must have been. */
function lastCall(
  index: ToolIndex,
  earlier: readonly Exchange[],
): { tool: ToolDefinition; base: Readonly<Record<string, unknown>> } | undefined {
  const exchange = earlier.at(-1);
  const made = exchange?.done.findLast(({ call }) => index.tools.some(({ name }) => name === call.tool));
  const tool = index.tools.find(({ name }) => name === made?.call.tool);
  if (made !== undefined && tool !== undefined) return { tool, base: made.call.arguments ?? {} };
  if (exchange === undefined || exchange.done.length > 0) return undefined;
  const step = stepsOf(exchange.request, index, earlier.slice(-FURTHEST_BACK, -1)).at(-1);
  const base = step && { ...step.base, ...fillArguments(step.tool, { sentence: step.text }).calls[0] };
  return step === undefined || base === undefined ? undefined : { tool: step.tool, base };
}
