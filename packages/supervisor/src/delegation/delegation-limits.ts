/** What one delegation may bring: an agent that brings more is contained, and the others are left alone. */
export interface DelegationLimits {
  /** Characters of all that is passed on. */
  readonly characters: number;
  readonly artifacts: number;
  /** Milliseconds for which an agent that was given work is waited for while it cannot be reached. */
  readonly patienceMs: number;
  /** Milliseconds in which a canceled agent has to say so. */
  readonly cancelMs: number;
}

export const defaultDelegationLimits: DelegationLimits = {
  characters: 8 * 1_048_576,
  artifacts: 1_000,
  patienceMs: 30_000,
  cancelMs: 5_000,
};

/** An agent brought more than it may. */
export class TooMuchError extends Error {
  constructor(agent: string, limit: number) {
    super(
      `${agent} sent more than ${limit} characters, which is the limit for one delegation: it was stopped`,
    );
  }
}
