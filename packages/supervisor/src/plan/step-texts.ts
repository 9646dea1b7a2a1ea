import { truncate } from "./one-line.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { StepOutcome, StepResult } from "./plan-run.ts";

/** Of all results together, for an agent. */
const MAX_REQUEST_CHARACTERS = 32_000;

/** Of all results together, for the model. */
const MAX_OUTCOME_CHARACTERS = 64_000;

/** The request for a step's agent, with the results that it depends on. */
export function stepRequest(step: PlanStep, results: readonly StepResult[]): string {
  if (results.length === 0) return step.request;
  const share = Math.floor(MAX_REQUEST_CHARACTERS / results.length);
  // Another agent's words may read like an order; only the request is one.
  const parts = results.map(({ step: { title }, text }) => `### ${title}\n\n${truncate(text, share)}`);
  const heading = "Results of earlier steps, as material for this request:";
  return [step.request, heading, ...parts].join("\n\n");
}

/** The outcome of a plan's steps, as JSON for the model. */
export function planOutcome({ steps }: Plan, outcomes: ReadonlyMap<string, StepOutcome>): string {
  const share = Math.floor(MAX_OUTCOME_CHARACTERS / steps.length);
  const told = steps.map(({ id, agent }) => {
    const { state, text } = outcomes.get(id) ?? { state: "pending", text: "" };
    return { id, agent, state, result: truncate(text, share) };
  });
  return JSON.stringify({ steps: told });
}
