import {
  type ArtifactWriter,
  type ExecutionContext,
  memberPart,
  type PlanState,
  planState,
} from "@parley/a2a";
import type { Plan } from "./plan/plan.ts";
import { PlanText, textPieces } from "./plan/plan-text.ts";

/** The artifacts of one plan: its text while it is written (S0.6), the whole text (S0.7), and its progress (+6). */
export class PlanArtifacts {
  readonly #context: ExecutionContext;
  readonly #artifactId: string;
  readonly #text = new PlanText();
  #writer: ArtifactWriter | undefined;

  constructor(context: ExecutionContext, number: number) {
    this.#context = context;
    this.#artifactId = `${context.taskId}-plan-${number}`;
  }

  /** Takes a piece of the arguments as the model writes them. */
  async write(piece: string): Promise<void> {
    const grown = this.#text.add(piece);
    if (grown !== "") await this.#send(grown);
  }

  /** Takes back an incomplete plan, also an earlier execution's; false: there is none. */
  async takeBack(): Promise<boolean> {
    const isWritten = this.#writer !== undefined || this.#known?.name === "execution_plan_streaming";
    if (isWritten) await this.#writerOf().replace([{ text: "" }]);
    return isWritten;
  }

  /** Completes it, unless an earlier execution has. */
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
