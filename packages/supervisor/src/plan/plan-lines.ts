import type { JsonListener } from "./json-scanner.ts";
import type { PlanStep } from "./plan.ts";
import { CLOSING, OPENING, PlanLine } from "./plan-line.ts";

// How deep the brackets of {"steps": [{"dependencies": []}]} are.
const ROOT = 1;
const STEPS = 2;
const STEP = 3;
const LIST = 4;

/** The lines of a plan, from what is heard of its JSON; a line is told when the one before it has ended. */
export class PlanLines implements JsonListener {
  readonly #most: number;
  readonly #lines: PlanLine[] = [];
  readonly #steps: (PlanStep | undefined)[] = [];
  readonly #numbers = new Map<string, number>();
  /** The first line that has not ended. */
  #current = 0;
  #fresh = "";
  #depth = 0;
  #rootKey = "";
  #key = "";
  #inSteps = false;
  #value = "";
  #list: unknown[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes out what the text has grown by. */
  take(): string {
    this.#tellCurrent();
    const fresh = this.#fresh;
    this.#fresh = "";
    return fresh;
  }

  open(kind: "object" | "array"): void {
    this.#depth++;
    const array = kind === "array";
    if (this.#depth === STEPS) this.#inSteps = array && this.#rootKey === "steps";
    else if (this.#depth === LIST) this.#list = [];
    else if (this.#depth === STEP && this.#inSteps && !array) this.#begin();
  }

  close(): void {
    this.#depth--;
    if (!this.#inSteps) return;
    if (this.#depth === STEP) this.#line?.value(this.#key, this.#list);
    else if (this.#depth === STEPS) this.#closeStep();
    else if (this.#depth === ROOT) this.#closeSteps();
  }

  key(name: string): void {
    if (this.#depth === ROOT) this.#rootKey = name;
    else if (this.#depth === STEP) this.#key = name;
  }

  text(piece: string): void {
    if (this.#depth === STEP && this.#key === "title") this.#line?.title(piece);
    this.#value += piece;
  }

  textEnd(): void {
    this.scalar(this.#value);
    this.#value = "";
  }

  scalar(value: unknown): void {
    if (this.#depth === STEP) this.#line?.value(this.#key, value);
    else if (this.#depth === LIST) this.#list.push(value);
  }

  /** The line that is being written. */
  get #line(): PlanLine | undefined {
    return this.#inSteps ? this.#lines[this.#steps.length] : undefined;
  }

  #begin(): void {
    if (this.#lines.length === this.#most) return;
    if (this.#lines.length === 0) this.#fresh += OPENING;
    this.#lines.push(new PlanLine(this.#lines.length + 1));
  }

  #closeStep(): void {
    const line = this.#line;
    if (!line) return;
    const step = line.close();
    this.#steps.push(step);
    if (step) this.#numbers.set(step.id, this.#steps.length);
    while (this.#endCurrent()) this.#current++;
  }

  /** Ends the current line if all is known that it says: a dependency may be written after it. */
  #endCurrent(): boolean {
    const step = this.#steps[this.#current];
    const after = step?.dependencies.map((id) => this.#numbers.get(id));
    if (!after?.every((number) => number !== undefined)) return false;
    this.#lines[this.#current]?.end(after);
    this.#tellCurrent();
    return true;
  }

  #tellCurrent(): void {
    this.#fresh += this.#lines[this.#current]?.take() ?? "";
  }

  #closeSteps(): void {
    this.#inSteps = false;
    if (this.#lines.length > 0 && this.#current === this.#lines.length) this.#fresh += CLOSING;
  }
}
