import {
  type ArtifactWriter,
  type ExecutionContext,
  memberPart,
  type PlanState,
  planState,
} from "@parley/a2a";
import { type JsonListener, JsonScanner } from "./plan/json-scanner.ts";
import { MAX_STEPS, type Plan, type PlanStep } from "./plan/plan.ts";
import { CLOSING, OPENING, PlanLine, planLine } from "./plan/plan-line.ts";

// How deep the brackets of {"steps": [{"dependencies": []}]} are.
const ROOT = 1;
const STEPS = 2;
const STEP = 3;
const LIST = 4;

/** The lines of a plan, from what is heard of its JSON; a line is told when the one before it has ended. */
class PlanLines implements JsonListener {
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

const MAX_CHARACTERS = 1_000_000;

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
  readonly #lines = new PlanLines(MAX_STEPS);
  readonly #scanner = new JsonScanner(this.#lines);
  #left = MAX_CHARACTERS;

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

/** How one plan is shown: its text while it is written (S0.6), the whole of it (S0.7), and how far it is (+6). */
export class PlanArtifacts {
  readonly #context: ExecutionContext;
  readonly #artifactId: string;
  readonly #text = new PlanText();
  #writer: ArtifactWriter | undefined;

  /** The task's plan of this number. */
  constructor(context: ExecutionContext, number: number) {
    this.#context = context;
    this.#artifactId = `${context.taskId}-plan-${number}`;
  }

  /** Takes a piece of the arguments that the model writes. */
  async write(piece: string): Promise<void> {
    const grown = this.#text.add(piece);
    if (grown !== "") await this.#send(grown);
  }

  /** Takes back what was written of it, also by an earlier execution, and not completed; false: there is no such plan. */
  async takeBack(): Promise<boolean> {
    const isWritten = this.#writer !== undefined || this.#known?.name === "execution_plan_streaming";
    if (isWritten) await this.#writerOf().replace([{ text: "" }]);
    return isWritten;
  }

  /** Completes it; one that an earlier execution completed stays as it is. */
  async complete(plan: Plan): Promise<void> {
    if (this.#known?.name === "execution_plan_update") return;
    const { rest = "", text } = this.#text.end(plan);
    for (const piece of textPieces(rest)) await this.#send(piece);
    const description = "Complete execution plan streamed to user";
    const whole = { artifactId: this.#artifactId, name: "execution_plan_update", description };
    await this.#context.artifact(whole).replace([{ text }], { last: true });
  }

  show(state: PlanState): void {
    const description = "The steps of the plan and how far each is";
    const head = { artifactId: `${this.#artifactId}-state`, name: "execution_plan_state", description };
    void this.#context.artifact(head).replace([memberPart(planState, state)]);
  }

  async #send(text: string): Promise<void> {
    if (this.#writer) return this.#writer.text(text);
    this.#writer = this.#writerOf();
    await (this.#known ? this.#writer.replace([{ text }]) : this.#writer.text(text));
  }

  #writerOf(): ArtifactWriter {
    const description = "Execution plan streaming in progress";
    const head = { artifactId: this.#artifactId, name: "execution_plan_streaming", description };
    return this.#context.artifact(head);
  }

  get #known() {
    return this.#context.task.artifacts?.find(({ artifactId }) => artifactId === this.#artifactId);
  }
}

const MOST = 10;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text in pieces of at most 10 characters, none of which ends within what a reader takes for one character. */
export function* textPieces(text: string): Generator<string, void, void> {
  if (text.length <= MOST) {
    if (text !== "") yield text;
    return;
  }
  let piece = "";
  for (const { segment } of segmenter.segment(text)) {
    if (piece !== "" && piece.length + segment.length > MOST) {
      yield piece;
      piece = "";
    }
    piece += segment;
  }
  yield piece;
}
