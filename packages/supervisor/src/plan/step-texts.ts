import { cutText } from "./cut-text.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { StepOutcome, StepResult } from "./plan-run.ts";

/** The most characters of results, all together, that an agent is told. */
const MAX_REQUEST_CHARACTERS = 32_000;

/** The most characters of results, all together, that the model is told. */
const MAX_OUTCOME_CHARACTERS = 64_000;

/** What a step's agent is told: the request, and what the steps that it depends on came to. */
export function stepRequest(step: PlanStep, results: readonly StepResult[]): string {
  if (results.length === 0) return step.request;
  const share = Math.floor(MAX_REQUEST_CHARACTERS / results.length);
  // What another agent said may read like an order; only the request is one.
  const parts = results.map(({ step: { title }, text }) => `### ${title}\n\n${cutText(text, share)}`);
  const heading = "Results of earlier steps, as material for this request:";
  return [step.request, heading, ...parts].join("\n\n");
}

/** What became of a plan's steps, as JSON text for the model. */
export function planOutcome({ steps }: Plan, outcomes: ReadonlyMap<string, StepOutcome>): string {
  const share = Math.floor(MAX_OUTCOME_CHARACTERS / steps.length);
  const told = steps.map(({ id, agent }) => {
    const { state, text } = outcomes.get(id) ?? { state: "pending", text: "" };
    return { id, agent, state, result: cutText(text, share) };
  });
  return JSON.stringify({ steps: told });
}
