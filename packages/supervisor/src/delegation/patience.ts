import {
  AgentResponseError,
  backoffDelay,
  isTemporary,
  OutcomeUnknownError,
  pause,
  StreamLostError,
} from "@parley/a2a";

const PACE = { firstDelay: 100, longestDelay: 2_000 };

/** The directory has no way to an agent, now. */
export class NoWayToAgentError extends Error {}

/** Whether this may be because an agent is only being restarted. */
export function mayPass(error: unknown): boolean {
  if (error instanceof OutcomeUnknownError) return mayPass(error.cause);
  return error instanceof NoWayToAgentError || error instanceof StreamLostError || isTemporary(error);
}

/** Whether an agent that has taken nothing says itself that it is to be asked again later. */
export function isPutOff(error: unknown): boolean {
  return error instanceof AgentResponseError && error.status === 503 && error.retryAfter !== undefined;
}

/** How long an agent is waited for that was given work and cannot be reached. */
export class Patience {
  readonly #lastsMs: number;
  readonly #signal: AbortSignal;
  #since: number | undefined;
  #waits = 0;

  constructor(lastsMs: number, signal: AbortSignal) {
    this.#lastsMs = lastsMs;
    this.#signal = signal;
  }

  /** Whether nothing went wrong since something was last heard of it. */
  get isFresh(): boolean {
    return this.#since === undefined;
  }

  /** Something was heard of it. */
  renew(): void {
    this.#since = undefined;
    this.#waits = 0;
  }

  /** Waits, longer each time; false when it has lasted long enough. */
  async holds(): Promise<boolean> {
    this.#since ??= performance.now();
    if (performance.now() - this.#since >= this.#lastsMs) return false;
    await pause(backoffDelay(PACE, ++this.#waits), this.#signal);
    return true;
  }
}
