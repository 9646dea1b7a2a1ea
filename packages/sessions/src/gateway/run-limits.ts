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

/** Aborts with AgentStalledError when nobody resets it in time. */
export class SilenceWatch {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(agent: string, milliseconds: number) {
    const stalled = () => this.#controller.abort(new AgentStalledError(agent, milliseconds));
    this.#timer = setTimeout(stalled, milliseconds).unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
