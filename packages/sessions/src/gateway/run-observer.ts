import type { RunReference } from "./run-queue.ts";

/** Hears how the gateway's runs go; it must not throw. */
export interface RunObserver {
  /** A run was taken; `again` where somebody had begun it before. */
  taken(run: RunReference, again: boolean): void;
  /** Its agent has said the first thing, in this taking of it. */
  heard(run: RunReference): void;
  /** The agent could not be reached, and is asked again. */
  retrying(run: RunReference, error: Error): void;
  /** The agent is begun anew from the same snapshot, or another one is asked. */
  restarted(run: RunReference, reason: string): void;
  ended(run: RunReference, state: string): void;
  /** A message could not be passed on to the agent; it is tried again, or answered by a further run. */
  unheard(run: RunReference, error: Error): void;
  /** The run could not be gone on with here; it is taken up again later. */
  failed(run: RunReference, error: Error): void;
}

export const silentRunObserver: RunObserver = {
  taken() {},
  heard() {},
  retrying() {},
  restarted() {},
  ended() {},
  unheard() {},
  failed() {},
};
