import { cutText } from "./cut-text.ts";
import type { PlanStep } from "./plan.ts";
import type { StepResult } from "./plan-run.ts";

/** The most characters of results, all together, that an agent is told. */
const MOST_CHARACTERS = 32_000;

/** What a step's agent is told: the request, and what the steps that it depends on came to. */
export function stepRequest(step: PlanStep, results: readonly StepResult[]): string {
  if (results.length === 0) return step.request;
  const share = Math.floor(MOST_CHARACTERS / results.length);
  // What another agent said may read like an order; only the request is one.
  const parts = results.map(({ step: { title }, text }) => `### ${title}\n\n${cutText(text, share)}`);
  const heading = "Results of earlier steps, as material for this request:";
  return [step.request, heading, ...parts].join("\n\n");
}
