import type { ToolDefinition } from "../model.ts";
import { callOf, type Decision, say } from "./decision.ts";
import { fillArguments, type Sources } from "./fill-arguments.ts";
import { propertiesOf } from "./json-schema.ts";
import { PLAN_CALL, planArguments } from "./plan-call.ts";
import { planResults } from "./plan-results.ts";
import type { Done, Exchange } from "./recall.ts";
import type { Step } from "./steps.ts";
import { isWholeRequest } from "./whole-request.ts";
import { askWhich, wordResults, wordSkipped } from "./word-answer.ts";
import { spokenName, wordValue } from "./word-value.ts";

/** A plan tool that carries out what it is given, and how far the conversation is. */
export interface CarryOut {
  readonly planTool: ToolDefinition;
  readonly current: Exchange;
  /** How many calls were made before. */
  readonly made: number;
  readonly sourcesOf: (step: Step) => Sources;
}

/**
 * Has the plan of these steps carried out by one call, and answers from what came of it; steps that wait for the
 * user's choice between tools stay out of the plan. Undefined where the plan tool does not take the steps.
 */
export function carryOut(steps: readonly Step[], progress: CarryOut): Decision | undefined {
  const { planTool, current, made } = progress;
  const open = undecided(steps);
  const questions = open
    .filter(({ rivals }) => rivals.length > 0)
    .map(({ tool, rivals }) => askWhich([tool, ...rivals]));
  if (current.plans.length > 0) return say([...current.plans.map(wordPlan), ...questions], open);
  const planned = steps.filter((step) => !open.includes(step));
  if (planned.length === 0) return say(questions, open);
  const plan = planArguments(
    planTool,
    current.request,
    planned.map((step) => ({ ...step, tool: step.tool.name, order: orderOf(step, progress) })),
  );
  if (plan === undefined) return undefined;
  return { kind: "call", calls: [callOf(`call_${made + 1}${PLAN_CALL}`, planTool.name, plan)], steps };
}

/** The steps that the user has to decide about, and those that wait for them. */
function undecided(steps: readonly Step[]): Step[] {
  const open: Step[] = [];
  for (const step of steps) {
    const waits = step.after.some((number) => open.some((other) => other.number === number));
    if (step.rivals.length > 0 || waits) open.push(step);
  }
  return open;
}

/** What the owner of a step is told; the results that the step waits for come to it with the plan. */
function orderOf(step: Step, { sourcesOf }: CarryOut): string {
  const { inputSchema } = step.tool;
  const whole = propertiesOf(inputSchema).find((property) => isWholeRequest(property, inputSchema));
  const [args] = fillArguments(step.tool, sourcesOf(step)).calls;
  const order = whole && args?.[whole.name];
  return typeof order === "string" ? order : step.text;
}

function wordPlan({ call, outcome, value }: Done): string {
  const results = planResults(call, outcome);
  if (outcome === undefined) return "The plan was begun, and what came of it is not known.";
  if (results === undefined)
    return outcome.failed
      ? `${spokenName(call.tool)} failed: ${outcome.text.trim() || "it gave no reason"}`
      : wordValue(value);
  const finished = results.filter(({ skipped }) => !skipped);
  const skipped = results.filter((step) => step.skipped);
  return [
    wordResults(finished.map((step) => ({ text: step.title, done: [step] }))),
    wordSkipped(skipped.map(({ title, outcome: { text } }) => ({ text: title, reason: text.trim() }))),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
