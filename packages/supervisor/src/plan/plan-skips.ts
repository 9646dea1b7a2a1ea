/** The steps of a plan that the user does not want done any more. */
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

  /** Returns what ends the listening. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Why a step's work was stopped: the user skipped it. */
export class StepSkippedError extends Error {
  constructor() {
    super("The user skipped it.");
  }
}
