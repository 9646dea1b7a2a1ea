import { JsonScanner } from "./json-scanner.ts";
import { MOST_STEPS, type Plan } from "./plan.ts";
import { CLOSING, OPENING, planLine } from "./plan-line.ts";
import { PlanLines } from "./plan-lines.ts";

const MOST_CHARACTERS = 1_000_000;

/** A whole plan as people read it, between ⟦ and ⟧. */
export function planText({ steps }: Plan): string {
  const numbers = new Map(steps.map(({ id }, index) => [id, index + 1]));
  const lines = steps.map((step, index) => {
    const after = step.dependencies.flatMap((id) => numbers.get(id) ?? []);
    return planLine(step, index + 1, after);
  });
  return OPENING + lines.join("") + CLOSING;
}

/** The text of a plan while a model writes it as a call's arguments: it only ever grows. */
export class PlanText {
  readonly #sent: string[] = [];
  readonly #lines = new PlanLines(MOST_STEPS);
  readonly #scanner = new JsonScanner(this.#lines);
  #left = MOST_CHARACTERS;

  /** Takes a piece of the arguments, and returns what the text grows by. */
  add(piece: string): string {
    this.#scanner.add(piece.slice(0, this.#left));
    this.#left -= Math.min(piece.length, this.#left);
    const grown = this.#lines.take();
    if (grown !== "") this.#sent.push(grown);
    return grown;
  }

  /** What is still to be sent for a plan's whole text; undefined where that does not begin with what was sent. */
  end(plan: Plan): { readonly rest: string | undefined; readonly text: string } {
    const text = planText(plan);
    const sent = this.#sent.join("");
    return { rest: text.startsWith(sent) ? text.slice(sent.length) : undefined, text };
  }
}
