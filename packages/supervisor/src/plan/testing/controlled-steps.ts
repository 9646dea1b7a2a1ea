import type { PlanRunOptions, StepEnd } from "../plan-run.ts";

/** Steps that end when the test says so. */
export class ControlledSteps {
  readonly states: string[] = [];
  readonly begun: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<StepEnd>>();

  readonly options: PlanRunOptions = {
    parallel: 10,
    done: new Map(),
    changed: ({ steps }) => this.states.push(steps.map(({ state }) => state).join(" ")),
    run: ({ id }) => {
      this.begun.push(id);
      return this.#end(id).promise;
    },
  };

  end(id: string, state: StepEnd["state"]): void {
    this.#end(id).resolve({ state, text: `${id} ${state}` });
  }

  fail(id: string, error: Error): void {
    this.#end(id).reject(error);
  }

  #end(id: string): PromiseWithResolvers<StepEnd> {
    const end = this.#ends.get(id) ?? Promise.withResolvers<StepEnd>();
    this.#ends.set(id, end);
    return end;
  }
}
