import type { PlanState } from "@parley/a2a";
import type { Plan, PlanStep } from "./plan.ts";
import type { PlanSkips } from "./plan-skips.ts";

/** How a step's work ended; one that waits cannot go on before a person has answered. */
export interface StepEnd {
  readonly state: "completed" | "failed" | "canceled" | "waiting";
  readonly text: string;
}

/** What a plan's run left of a step; `pending`: it was not begun, and may be when the run is taken up again. */
export interface StepOutcome {
  readonly state: StepEnd["state"] | "skipped" | "pending";
  readonly text: string;
}

/** What came of a step that another depends on. */
export interface StepResult {
  readonly step: PlanStep;
  readonly text: string;
}

export interface PlanRunOptions {
  /** Does a step's work. If it rejects, no further step begins, and the run rejects when those under way have ended. */
  run(step: PlanStep, results: readonly StepResult[]): Promise<StepEnd>;
  /** Hears the plan's state at the start and then at each change, in order. */
  changed(state: PlanState): void;
  /** The most steps at once; one that waits for a person does not count. */
  readonly parallel: number;
  /** The steps that ended in an earlier run: they are not run again, unless they waited. */
  readonly done: ReadonlyMap<string, StepEnd>;
  /** Once aborted, no further step begins. */
  readonly signal?: AbortSignal;
  /** The steps that the user does not want: those that have not begun do not begin. */
  readonly skips?: PlanSkips;
}

/** Carries out a plan until nothing more can run; resolves with what became of every step, in the plan's order. */
export async function runPlan(
  plan: Plan,
  options: PlanRunOptions,
): Promise<ReadonlyMap<string, StepOutcome>> {
  return new PlanRun(plan, options).toEnd();
}

type State = PlanState["steps"][number]["state"];
const PENDING: StepOutcome = { state: "pending", text: "" };
const IN_VAIN: Readonly<Partial<Record<State, string>>> = {
  failed: "failed",
  canceled: "was canceled",
  skipped: "was skipped",
};

/**
 * pending ─▶ working ─▶ completed | failed | canceled | waiting
 *    └─────▶ skipped, once a dependency has failed, was canceled or skipped
 */
class PlanRun {
  readonly #steps: ReadonlyMap<string, PlanStep>;
  readonly #options: PlanRunOptions;
  readonly #outcomes: Map<string, StepOutcome>;
  readonly #running = new Set<string>();
  #thrown: { readonly error: unknown } | undefined;

  constructor({ steps }: Plan, options: PlanRunOptions) {
    this.#steps = new Map(steps.map((step) => [step.id, step]));
    this.#options = options;
    this.#outcomes = new Map([...options.done].filter(([, { state }]) => state !== "waiting"));
  }

  async toEnd(): Promise<ReadonlyMap<string, StepOutcome>> {
    this.#tell();
    const stopListening = this.#options.skips?.onChange(() => this.#skip());
    await this.#goOn();
    stopListening?.();
    if (this.#thrown) throw this.#thrown.error;
    return new Map([...this.#steps.keys()].map((id) => [id, this.#outcomes.get(id) ?? PENDING]));
  }

  /** Begins what can begin, and resolves when all that came of it has ended. */
  async #goOn(): Promise<void> {
    this.#skip();
    const begun: Promise<void>[] = [];
    for (const step of this.#steps.values()) if (this.#canBegin(step)) begun.push(this.#carryOut(step));
    await Promise.all(begun);
  }

  async #carryOut(step: PlanStep): Promise<void> {
    this.#running.add(step.id);
    this.#tell();
    try {
      this.#end(step.id, await this.#options.run(step, this.#resultsFor(step)));
    } catch (error) {
      this.#running.delete(step.id);
      this.#thrown ??= { error };
    }
    await this.#goOn();
  }

  #canBegin({ id, dependencies }: PlanStep): boolean {
    const { parallel, signal } = this.#options;
    if (this.#thrown || signal?.aborted || this.#running.size >= parallel) return false;
    return this.#stateOf(id) === "pending" && dependencies.every((on) => this.#stateOf(on) === "completed");
  }

  /** Skips what depends on a step that came to nothing, and what depends on that, and so on. */
  #skip(): void {
    for (let again = true; again; ) {
      again = false;
      for (const { id, dependencies } of this.#steps.values()) {
        if (this.#options.skips?.has(id) && this.#stateOf(id) === "pending") {
          this.#end(id, { state: "skipped", text: "The user skipped it." });
          again = true;
        }
        const cause = dependencies.find((on) => IN_VAIN[this.#stateOf(on)] !== undefined);
        if (cause === undefined || this.#stateOf(id) !== "pending") continue;
        const text = `Skipped, because step ${JSON.stringify(cause)} ${IN_VAIN[this.#stateOf(cause)]}.`;
        this.#end(id, { state: "skipped", text });
        again = true;
      }
    }
  }

  #resultsFor({ dependencies }: PlanStep): StepResult[] {
    return dependencies.flatMap((id) => {
      const step = this.#steps.get(id);
      return step ? [{ step, text: this.#outcomes.get(id)?.text ?? "" }] : [];
    });
  }

  #stateOf(id: string): State {
    return this.#running.has(id) ? "working" : (this.#outcomes.get(id)?.state ?? "pending");
  }

  #end(id: string, outcome: StepOutcome): void {
    this.#running.delete(id);
    this.#outcomes.set(id, outcome);
    this.#tell();
  }

  #tell(): void {
    const steps = [...this.#steps.values()].map(({ id, title, agent, dependencies }) => {
      return { id, title, agent, dependencies: [...dependencies], state: this.#stateOf(id) };
    });
    this.#options.changed({ steps });
  }
}
