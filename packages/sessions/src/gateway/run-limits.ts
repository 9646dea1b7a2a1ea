/** How long the gateway waits for agents, in milliseconds. */
export interface RunLimits {
  /** How long an unreachable agent is retried before another one is called or the run ends. */
  readonly patienceMs: number;
  /** The same for one that has the message: nobody else can be called, and it may have done the work. */
  readonly sentPatienceMs: number;
  /** Silence after which the agent's run ends. */
  readonly silenceMs: number;
  /** In which an agent has to acknowledge a cancel. */
  readonly cancelMs: number;
  /** How often an agent that has lost its task starts over. */
  readonly restarts: number;
}

export const defaultRunLimits: RunLimits = {
  patienceMs: 6_000,
  sentPatienceMs: 30_000,
  silenceMs: 900_000,
  cancelMs: 5_000,
  restarts: 2,
};

export class AgentStalledError extends Error {
  constructor(agent: string, milliseconds: number) {
    super(`${agent} has said nothing for ${Math.round(milliseconds / 1_000)} s, and was stopped: try again`);
  }
}

export interface SilenceOptions {
  readonly limits: Pick<RunLimits, "silenceMs" | "cancelMs">;
  /** The agent has the message and has not named its task: it could not be stopped. */
  isUnnamed(): boolean;
}

/** Aborts with AgentStalledError after too long a silence; an agent that has not named its task gets a moment more. */
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

  /** Throws if the agent was silent for too long before it named its task. */
  check(): void {
    if (this.#stalled) throw this.#stalled;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
