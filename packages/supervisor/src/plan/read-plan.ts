import { z } from "zod";
import { MAX_STEPS, type Plan, type PlanStep, readStep } from "./plan.ts";

const MAX_PROBLEMS = 10;
const MAX_NAME_LENGTH = 60;

// Some models write a list within an object as text.
const writtenPlan = z.object({ steps: z.preprocess(parsedList, z.array(z.unknown())) });

/** The plan in a call's arguments, or what is wrong with it, so that the model can correct it. */
export function readPlan(
  written: unknown,
  agentNames: readonly string[],
): Plan | { readonly problem: string } {
  const found = writtenPlan.safeParse(written);
  if (!found.success)
    return problem(['The plan must be an object such as {"steps": [{"id": "1", "title": …}]}.']);
  const { length } = found.data.steps;
  if (length === 0) return problem(["The plan is empty: it needs at least one step."]);
  if (length > MAX_STEPS) return problem([`The plan has ${length} steps: ${MAX_STEPS} is the most.`]);

  const steps: PlanStep[] = [];
  const broken: string[] = [];
  for (const [index, value] of found.data.steps.entries()) {
    const step = readStep(value, index + 1);
    if ("problem" in step) broken.push(step.problem);
    else steps.push(step);
  }
  if (broken.length > 0) return problem(broken);
  const problems = [...unknownAgents(steps, agentNames), ...wrongIds(steps)];
  if (problems.length > 0) return problem(problems);
  const cycle = cycleIn(steps);
  return cycle ? problem([`Steps wait for each other: ${cycle.map(quoted).join(" → ")}.`]) : { steps };
}

/** The well-formed steps of a plan. */
export function stepsOf(written: unknown): PlanStep[] {
  const found = writtenPlan.safeParse(written);
  const steps = found.success ? found.data.steps.map((value, index) => readStep(value, index + 1)) : [];
  return steps.flatMap((step) => ("problem" in step ? [] : [step]));
}

function problem(problems: readonly string[]): { readonly problem: string } {
  return {
    problem: `Nothing was done. ${problems.slice(0, MAX_PROBLEMS).join(" ")} Mend it and call again.`,
  };
}

function unknownAgents(steps: readonly PlanStep[], known: readonly string[]): string[] {
  const unknown = new Set(steps.map(({ agent }) => agent).filter((agent) => !known.includes(agent)));
  if (unknown.size === 0) return [];
  return [`There is no agent ${[...unknown].map(quoted).join(", ")}. The agents are: ${known.join(", ")}.`];
}

function wrongIds(steps: readonly PlanStep[]): string[] {
  const ids = new Set(steps.map(({ id }) => id));
  const taken = new Set<string>();
  return steps.flatMap(({ id, dependencies }) => {
    const twice = taken.has(id) ? [`The id ${quoted(id)} is used twice.`] : [];
    taken.add(id);
    const missing = dependencies.filter((dependency) => !ids.has(dependency));
    return [
      ...twice,
      ...missing.map((name) => `Step ${quoted(id)} depends on ${quoted(name)}, which is no step.`),
    ];
  });
}

/** A cycle of dependencies, if there is one. */
function cycleIn(steps: readonly PlanStep[]): string[] | undefined {
  const open = new Map(steps.map((step) => [step.id, step]));
  const blocking = (step: PlanStep) => step.dependencies.find((id) => open.has(id));
  for (let before = -1; before !== open.size; ) {
    before = open.size;
    for (const step of open.values()) if (blocking(step) === undefined) open.delete(step.id);
  }
  const way: string[] = [];
  for (let [step] = open.values(); step; step = open.get(blocking(step) ?? "")) {
    way.push(step.id);
    const start = way.indexOf(step.id);
    if (start < way.length - 1) return way.slice(start);
  }
  return undefined;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME_LENGTH));
}

function parsedList(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    // Not a list: the schema says what is expected.
    return value;
  }
}
