/** On whose behalf a call is made, and how it speaks. */
export interface Caller {
  /** Tasks, contexts and push configs belong to it; nobody else sees them. */
  readonly owner: string;
  readonly dialect: "1.0" | "0.3" | "0.1";
}
