import type { PlanState } from "@parley/a2a";
import type { Plan, PlanStep } from "./plan.ts";

/** The steps of a plan that the user has skipped. */
export class PlanSkips {
  readonly #steps = new Set<string>();
  readonly #listeners = new Set<() => void>();

  has(step: string): boolean {
    return this.#steps.has(step);
  }

  add(steps: readonly string[]): void {
    for (const step of steps) this.#steps.add(step);
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export class StepSkippedError extends Error {
  constructor() {
    super("The user skipped it.");
  }
}

/** How a step ended; `waiting`: it needs a person's answer first. */
export interface StepEnd {
  readonly state: "completed" | "failed" | "canceled" | "waiting";
  readonly text: string;
}

/** What a run made of a step; `pending`: it has not started, and may when the run is resumed. */
export interface StepOutcome {
  readonly state: StepEnd["state"] | "skipped" | "pending";
  readonly text: string;
}

export interface StepResult {
  readonly step: PlanStep;
  readonly text: string;
}

export interface PlanRunOptions {
  /** If it rejects, no further step starts, and the run rejects when those under way have ended. */
  run(step: PlanStep, results: readonly StepResult[]): Promise<StepEnd>;
  /** Gets the plan's state at the start and at each change, in order. */
  changed(state: PlanState): void;
  /** Steps at once, without those that wait for a person. */
  readonly parallel: number;
  /** Steps that ended in an earlier run: they are not run again, unless they waited. */
  readonly done: ReadonlyMap<string, StepEnd>;
  /** Once aborted, no further step starts. */
  readonly signal?: AbortSignal;
  readonly skips?: PlanSkips;
}

/** Runs a plan until nothing more can run; resolves with the outcome of every step, in the plan's order. */
export function runPlan(plan: Plan, options: PlanRunOptions): Promise<ReadonlyMap<string, StepOutcome>> {
  return new PlanRun(plan, options).run();
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

  async run(): Promise<ReadonlyMap<string, StepOutcome>> {
    this.#tell();
    const stopListening = this.#options.skips?.onChange(() => this.#skip());
    await this.#goOn();
    stopListening?.();
    if (this.#thrown) throw this.#thrown.error;
    return new Map([...this.#steps.keys()].map((id) => [id, this.#outcomes.get(id) ?? PENDING]));
  }

  /** Starts what can start, and resolves when all that came of it has ended. */
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

  /** Skips what depends on a failed, canceled or skipped step, transitively. */
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
