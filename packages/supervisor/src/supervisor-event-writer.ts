import type { PlanState } from "@parley/a2a";
import { type Ending, type ExecutionContext, usage as usageMember, withMember } from "@parley/a2a";
import { type ExecutionEvent, inputRequired } from "@parley/agent";
import type { ToolCall } from "@parley/models";
import type { Answer } from "./answer.ts";
import { PLAN_TOOL } from "./plan/plan-tool.ts";
import { readPlan } from "./plan/read-plan.ts";
import { PlanArtifacts } from "./plan-artifacts.ts";

export interface SupervisorEventWriterOptions {
  readonly context: ExecutionContext;
  readonly answer: Answer;
  /** `provider:model`, for the usage. */
  readonly model: string;
  /** What is certain of the answer of an interrupted execution; undefined: a delegation knows. */
  readonly certain: string | undefined;
  /** Earlier calls of `carry_out_plan`, in order. */
  readonly plans: readonly string[];
  agentNames(): readonly string[];
}

/** Writes a supervisor's events as A2A (S0.4); delegations write their own. */
export class SupervisorEventWriter {
  readonly #options: SupervisorEventWriterOptions;
  readonly #plans = new Map<string, PlanArtifacts>();
  /** The plans that the model writes in this turn, in order. */
  #written: { readonly id: string; readonly plan: PlanArtifacts }[] = [];
  #count: number;
  #ending: Ending | undefined;

  constructor(options: SupervisorEventWriterOptions) {
    this.#options = options;
    for (const [number, id] of options.plans.entries())
      this.#plans.set(id, new PlanArtifacts(options.context, number));
    this.#count = options.plans.length;
  }

  /** Set once an event has ended the work. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Resolves when there is room for more. */
  async write(event: ExecutionEvent): Promise<void> {
    const { answer, certain } = this.#options;
    switch (event.type) {
      case "text":
        return answer.say(event.text);
      case "text-restart":
        if (certain !== undefined) await answer.keep(certain);
        return this.#takeBackPlans();
      case "tool-input":
        if (event.tool === PLAN_TOOL) await this.#planWritten(event.id).write(event.text);
        return;
      case "tool-selected":
        return this.#selected(event.call);
      case "tool-result":
        this.#written = [];
        return;
      case "thinking":
      case "tool-files": // Agents' files are artifacts that are passed on as they come.
        return;
      case "input-needed":
        // The question was shown when it came: an answer may be on its way.
        this.#ending = { ...inputRequired(event), unlessSpokenTo: true };
        return;
      case "approval-needed":
        throw new Error("A supervisor's tools ask for no approval: the agents do");
      case "complete":
        answer.finish();
        this.#ending = { state: "completed", metadata: this.#usage(event.usage), unlessSpokenTo: true };
        return;
      case "error":
        answer.finish();
        this.#ending = { state: "failed", message: event.message };
        return;
    }
  }

  showPlan(callId: string, state: PlanState): void {
    this.#plans.get(callId)?.show(state);
  }

  // The model may make no plan this time.
  async #takeBackPlans(): Promise<void> {
    const { context } = this.#options;
    for (let number = this.#count; await new PlanArtifacts(context, number).takeBack(); number++);
  }

  #planWritten(id: string): PlanArtifacts {
    const begun = this.#written.find((one) => one.id === id);
    if (begun) return begun.plan;
    const plan = new PlanArtifacts(this.#options.context, this.#count++);
    this.#written.push({ id, plan });
    return plan;
  }

  // The loop may have given the call another id, but the order is the same.
  async #selected({ id, tool, arguments: given }: ToolCall): Promise<void> {
    if (tool !== PLAN_TOOL) return;
    const known = this.#plans.get(id);
    const written = known ? undefined : this.#written.shift()?.plan;
    const plan = readPlan(given, this.#options.agentNames());
    if ("problem" in plan) {
      await written?.takeBack();
      return;
    }
    const shown = known ?? written ?? new PlanArtifacts(this.#options.context, this.#count++);
    this.#plans.set(id, shown);
    await shown.complete(plan);
  }

  #usage({ inputTokens = 0, outputTokens = 0 }: { inputTokens?: number; outputTokens?: number }) {
    return withMember(undefined, usageMember, { model: this.#options.model, inputTokens, outputTokens });
  }
}
