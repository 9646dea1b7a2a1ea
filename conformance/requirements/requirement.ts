/** The steps of the platform's construction; a requirement is checked once its step is done. */
const STEPS = { journal: 1, a2a: 2, agent: 3, supervisor: 4, sessions: 5, clients: 6 } as const;

export type Step = keyof typeof STEPS;

/** The last finished step: requirements of later ones are listed but not checked. */
const DONE: Step = "sessions";

/** Something that a test has to show. */
export interface Requirement {
  readonly id: string;
  readonly step: Step;
  /** What is demanded, in one sentence. */
  readonly text: string;
}

/** Requirements of one step, as id and sentence. */
export function ofStep(step: Step, rows: readonly (readonly [id: string, text: string])[]): Requirement[] {
  return rows.map(([id, text]) => ({ id, step, text }));
}

/** Whether a test has to be there by now. */
export function isDemanded({ step }: Requirement): boolean {
  return STEPS[step] <= STEPS[DONE];
}
