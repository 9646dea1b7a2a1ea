import fc from "fast-check";
import type { Plan, PlanStep } from "../plan.ts";

/** A step that depends on others; what it says matters to nobody. */
export function step(
  id: string,
  dependencies: readonly string[] = [],
  more: Partial<PlanStep> = {},
): PlanStep {
  return { id, title: `Title of ${id}`, agent: "git", request: `Request of ${id}`, dependencies, ...more };
}

/** Plans of any shape without cycles; a step may come before those that it depends on. */
export const plans: fc.Arbitrary<Plan> = fc
  .array(fc.tuple(fc.array(fc.nat(), { maxLength: 3 }), fc.nat()), { minLength: 1, maxLength: 10 })
  .map((drafts) => {
    const steps = drafts.map(([links, place], index) => {
      const on = index === 0 ? [] : links.map((link) => `s${link % index}`);
      return { place, step: step(`s${index}`, [...new Set(on)]) };
    });
    return { steps: steps.toSorted((one, other) => one.place - other.place).map(({ step }) => step) };
  });
