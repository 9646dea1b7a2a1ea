import { cutText } from "./cut-text.ts";
import type { Plan } from "./plan.ts";
import type { StepOutcome } from "./plan-run.ts";

/** The most characters of results, all together, that the model is told. */
const MOST_CHARACTERS = 64_000;

/** What became of a plan's steps, as JSON text for the model. */
export function planOutcome({ steps }: Plan, outcomes: ReadonlyMap<string, StepOutcome>): string {
  const share = Math.floor(MOST_CHARACTERS / steps.length);
  const told = steps.map(({ id, agent }) => {
    const { state, text } = outcomes.get(id) ?? { state: "pending", text: "" };
    return { id, agent, state, result: cutText(text, share) };
  });
  return JSON.stringify({ steps: told });
}
