/** What one delegation may bring: an agent that brings more is contained, and the others are left alone. */
export interface DelegationLimits {
  /** Characters of all that is passed on. */
  readonly characters: number;
  readonly artifacts: number;
  /** Milliseconds without a person's part in it. */
  readonly timeMs: number;
  /** Milliseconds in which a canceled agent has to say so. */
  readonly cancelMs: number;
}

export const defaultDelegationLimits: DelegationLimits = {
  characters: 8 * 1_048_576,
  artifacts: 1_000,
  timeMs: 1_800_000,
  cancelMs: 5_000,
};

/** The limit that an agent met. */
export type ContainedBy = "characters" | "artifacts" | "time";

/** An agent brought more than it may, or took longer: it was stopped. */
export class LimitExceededError extends Error {
  readonly limit: ContainedBy;
  constructor(agent: string, limit: ContainedBy, what: string) {
    super(`${agent} ${what}, which is the limit for one delegation: it was stopped`);
    this.limit = limit;
  }
}
