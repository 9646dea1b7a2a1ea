/** How long the gateway waits for agents. */
export interface RunLimits {
  /** Milliseconds for which an agent that cannot be reached is asked again, before another one is or the run ends. */
  readonly patienceMs: number;
  /** The same, of one that has the message: nobody else can be asked, and it may have done the work. */
  readonly sentPatienceMs: number;
  /** Milliseconds without a word of the agent, after which its run ends. */
  readonly silenceMs: number;
  /** Milliseconds in which an agent has to say that it stopped. */
  readonly cancelMs: number;
  /** How often an agent that has lost its task begins anew. */
  readonly restarts: number;
}

export const defaultRunLimits: RunLimits = {
  patienceMs: 6_000,
  sentPatienceMs: 30_000,
  silenceMs: 900_000,
  cancelMs: 5_000,
  restarts: 2,
};

/** The agent has said nothing for too long: it was stopped. */
export class AgentStalledError extends Error {
  constructor(agent: string, milliseconds: number) {
    super(`${agent} has said nothing for ${Math.round(milliseconds / 1_000)} s, and was stopped: try again`);
  }
}

export interface SilenceOptions {
  readonly limits: Pick<RunLimits, "silenceMs" | "cancelMs">;
  /** Whether the agent has the message and has not named its task: it could not be stopped. */
  isUnnamed(): boolean;
}

/**
 * Aborts with AgentStalledError when nobody resets it in time. An agent that could not be stopped, because nobody knows
 * its task, gets a moment more to name it.
 */
export class SilenceWatch {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout;
  #stalled: AgentStalledError | undefined;

  constructor(agent: string, { limits: { silenceMs, cancelMs }, isUnnamed }: SilenceOptions) {
    const abort = () => this.#controller.abort(this.#stalled);
    const stalled = () => {
      this.#stalled = new AgentStalledError(agent, silenceMs);
      if (isUnnamed()) this.#timer = setTimeout(abort, cancelMs).unref();
      else abort();
    };
    this.#timer = setTimeout(stalled, silenceMs).unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    if (!this.#stalled) this.#timer.refresh();
  }

  /** Throws when the agent was silent for too long before it named its task. */
  check(): void {
    if (this.#stalled) throw this.#stalled;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
