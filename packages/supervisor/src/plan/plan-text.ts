import { type JsonListener, type JsonPath, JsonScanner } from "./json-scanner.ts";
import { OneLine, oneLine } from "./one-line.ts";
import { MAX_STEPS, type Plan, type PlanStep, readStep } from "./plan.ts";

const OPENING = "⟦**🎯 Execution Plan**\n\n";
const CLOSING = "⟧";
const MAX_CHARACTERS = 1_000_000;
const MAX_PIECE_LENGTH = 10;

const agentText = (agent: string) => ` — *${agent}*`;
const endText = (after: readonly number[]) => (after.length > 0 ? ` (after ${after.join(", ")})\n` : "\n");

/** A whole plan as people read it, between ⟦ and ⟧. */
export function planText({ steps }: Plan): string {
  const numbers = new Map(steps.map(({ id }, index) => [id, index + 1]));
  const lines = steps.map(({ title, agent, dependencies }, index) => {
    const after = dependencies.flatMap((id) => numbers.get(id) ?? []);
    return `${index + 1}. ${title}${agentText(agent)}${endText(after)}`;
  });
  return OPENING + lines.join("") + CLOSING;
}

/** The line of a step while it is written: it grows with what is certain. */
class PlanLine {
  readonly #number: number;
  readonly #title = new OneLine();
  readonly #written: Record<string, unknown> = {};
  #hasTitle = false;
  #hasAgent = false;
  /** What it has grown by. */
  fresh: string;
  /** Set once the step is written whole and well formed. */
  step: PlanStep | undefined;

  constructor(number: number) {
    this.#number = number;
    this.fresh = `${number}. `;
  }

  addTitle(piece: string): void {
    const grown = this.#title.add(piece);
    this.#hasTitle ||= grown !== "";
    this.fresh += grown;
  }

  set(key: string, value: unknown): void {
    this.#written[key] = value;
    const { agent, title } = this.#written;
    if (this.#hasTitle && title !== undefined && typeof agent === "string") this.#addAgent(oneLine(agent));
  }

  close(): void {
    const step = readStep(this.#written, this.#number);
    if ("problem" in step) return;
    if (!this.#hasTitle) this.fresh += step.title;
    this.#addAgent(step.agent);
    this.step = step;
  }

  #addAgent(agent: string): void {
    if (!this.#hasAgent) this.fresh += agentText(agent);
    this.#hasAgent = true;
  }
}

/** The lines of a plan, from its JSON `{"steps": [{"dependencies": []}]}`; a line is shown when the one before has ended. */
class PlanLines implements JsonListener {
  readonly #lines: PlanLine[] = [];
  readonly #numbers = new Map<string, number>();
  /** The line that is being written. */
  #open: PlanLine | undefined;
  /** How many lines have ended. */
  #ended = 0;
  #fresh = "";
  #list: unknown[] = [];

  /** Takes out what the text has grown by. */
  take(): string {
    this.#flush();
    const fresh = this.#fresh;
    this.#fresh = "";
    return fresh;
  }

  open(path: JsonPath, kind: "object" | "array"): void {
    if (path.length === 3) this.#list = [];
    if (path.length !== 2 || !isInSteps(path) || kind !== "object") return;
    if (this.#lines.length === MAX_STEPS) return;
    if (this.#lines.length === 0) this.#fresh += OPENING;
    this.#open = new PlanLine(this.#lines.length + 1);
    this.#lines.push(this.#open);
  }

  close(path: JsonPath): void {
    if (path.length === 3) this.value(path, this.#list);
    else if (path.length === 2 && isInSteps(path)) this.#closeStep();
    else if (
      path.length === 1 &&
      path[0] === "steps" &&
      this.#ended > 0 &&
      this.#ended === this.#lines.length
    )
      this.#fresh += CLOSING;
  }

  text(path: JsonPath, piece: string): void {
    if (path.length === 3 && path[2] === "title" && isInSteps(path)) this.#open?.addTitle(piece);
  }

  value(path: JsonPath, value: unknown): void {
    if (path.length === 3 && isInSteps(path)) this.#open?.set(String(path[2]), value);
    else if (path.length === 4) this.#list.push(value);
  }

  #closeStep(): void {
    this.#open?.close();
    const { step } = this.#open ?? {};
    if (step) this.#numbers.set(step.id, this.#lines.length);
    this.#open = undefined;
    while (this.#endLine()) this.#ended++;
  }

  /** Ends the next line if all is known that it says: a dependency may be written after it. */
  #endLine(): boolean {
    const line = this.#lines[this.#ended];
    const after = line?.step?.dependencies.map((id) => this.#numbers.get(id));
    if (!line || !after?.every((number) => number !== undefined)) return false;
    line.fresh += endText(after);
    this.#flush();
    return true;
  }

  #flush(): void {
    const line = this.#lines[this.#ended];
    if (!line) return;
    this.#fresh += line.fresh;
    line.fresh = "";
  }
}

function isInSteps([root, index]: JsonPath): boolean {
  return root === "steps" && typeof index === "number";
}

/** The text of a plan while a model writes it as a call's arguments: it only ever grows. */
export class PlanText {
  readonly #sent: string[] = [];
  readonly #lines = new PlanLines();
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

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text in pieces of at most 10 characters, none of which ends within a grapheme. */
export function* textPieces(text: string): Generator<string, void, void> {
  let piece = "";
  for (const { segment } of segmenter.segment(text)) {
    if (piece !== "" && piece.length + segment.length > MAX_PIECE_LENGTH) {
      yield piece;
      piece = "";
    }
    piece += segment;
  }
  if (piece !== "") yield piece;
}
