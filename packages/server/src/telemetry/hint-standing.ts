import type { Meter } from "@opentelemetry/api";
import type { Log } from "@parley/a2a";

/** Whether nodes hear of each other's events at once, as the log, the probes and the measurements tell it. */
export class HintStanding {
  readonly #log: Log;
  #trouble: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Why they do not, and find them by polling alone. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Takes note of a change. */
  readonly changed = (trouble: string | undefined): void => {
    this.#trouble = trouble;
    if (trouble === undefined) this.#log.info({}, "hints of other nodes come through again");
    else this.#log.warn({ trouble }, "hints of other nodes do not come: their events are found by polling");
  };

  observe(meter: Meter): void {
    meter
      .createObservableGauge("journal.hints", {
        description: "1 while hints of other nodes can come, 0 while their events are found by polling alone",
      })
      .addCallback((result) => result.observe(this.#trouble === undefined ? 1 : 0));
  }
}
