/** Who looks again and again at agents elsewhere, where several processes know the same ones: one on behalf of all. */
export interface CheckDuty {
  /** Whether it is this process now. */
  readonly isOurs: boolean;
  /** Tells the others that an agent has changed, for them to look at it too. */
  changed(agent: string): void;
}

/** The duty of a process that is alone. */
export const soleDuty: CheckDuty = { isOurs: true, changed() {} };
