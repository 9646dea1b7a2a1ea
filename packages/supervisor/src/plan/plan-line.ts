import { OneLine, oneLine } from "./one-line.ts";
import { type PlanStep, readStep } from "./plan.ts";

/** How a plan's text begins and ends. */
export const OPENING = "⟦**🎯 Execution Plan**\n\n";
export const CLOSING = "⟧";

const numberText = (number: number) => `${number}. `;
const agentText = (agent: string) => ` — *${agent}*`;
const endText = (after: readonly number[]) => (after.length > 0 ? ` (after ${after.join(", ")})\n` : "\n");

export function planLine(step: PlanStep, number: number, after: readonly number[]): string {
  return numberText(number) + step.title + agentText(step.agent) + endText(after);
}

/** The line of a step while it is written: grows with what can be said for sure. */
export class PlanLine {
  readonly #number: number;
  readonly #title = new OneLine();
  readonly #written = new Map<string, unknown>();
  #fresh: string;
  #titled = false;
  #agentTold = false;

  constructor(number: number) {
    this.#number = number;
    this.#fresh = numberText(number);
  }

  title(piece: string): void {
    const grown = this.#title.add(piece);
    this.#titled ||= grown !== "";
    this.#fresh += grown;
  }

  /** The whole value under a key. */
  value(key: string, value: unknown): void {
    this.#written.set(key, value);
    const agent = this.#written.get("agent");
    if (this.#titled && this.#written.has("title") && typeof agent === "string")
      this.#tellAgent(oneLine(agent));
  }

  /** Nothing more is written of the step: says all but its end, and returns the step, if it is one. */
  close(): PlanStep | undefined {
    const step = readStep(Object.fromEntries(this.#written), this.#number);
    if ("problem" in step) return undefined;
    if (!this.#titled) this.#fresh += step.title;
    this.#tellAgent(step.agent);
    return step;
  }

  /** Ends the line, with the numbers of the steps that come before it. */
  end(after: readonly number[]): void {
    this.#fresh += endText(after);
  }

  take(): string {
    const fresh = this.#fresh;
    this.#fresh = "";
    return fresh;
  }

  #tellAgent(agent: string): void {
    if (!this.#agentTold) this.#fresh += agentText(agent);
    this.#agentTold = true;
  }
}
