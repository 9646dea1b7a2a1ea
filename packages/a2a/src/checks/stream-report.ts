/** What a stream can do wrong. */
export type Rule =
  /** The first piece of an artifact extends it: an append violation. */
  | "append-to-nothing"
  /** A piece extends an artifact whose last chunk has been sent. */
  | "append-after-last-chunk"
  | "artifact-without-id"
  /** Something follows the final status. */
  | "after-final"
  /** The stream was closed in good order before the task had ended or asked. */
  | "no-final-status"
  /** `final` and the state contradict each other. */
  | "final-flag"
  | "other-task"
  /** An event that names another context than the task's. */
  | "other-context"
  /** A stream begins with its task (v0.1: with a status). */
  | "task-first"
  | "task-twice"
  | "illegal-state"
  /** A snapshot has another text than what it is a snapshot of. */
  | "snapshot-differs"
  | "index-not-rising"
  | "mixed-dialects"
  /** A frame that is no event. */
  | "unreadable";

export type CheckedDialect = "1.0" | "0.3" | "0.1";

export interface ArtifactReport {
  readonly artifactId: string;
  readonly name: string | undefined;
  readonly pieces: number;
  /** When its first and its last piece came, in milliseconds of one clock for all streams of a checker. */
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** One stream that passed. */
export interface StreamReport {
  /** The method of JSON-RPC, or method and path. */
  readonly request: string;
  readonly dialect: CheckedDialect | undefined;
  readonly taskId: string | undefined;
  readonly events: number;
  /** In the old spelling, as they came: `submitted`, `working` … */
  readonly states: readonly string[];
  /** The final text of each artifact, by artifactId; one that was resumed has what came before, too. */
  readonly texts: Readonly<Record<string, string>>;
  readonly artifacts: readonly ArtifactReport[];
  /** `closed` by the agent in good order, `broken` by it, or `left` by its reader. */
  readonly end: "open" | "closed" | "broken" | "left";
  /** There was too much text to keep all of it, so that `texts` and snapshots say nothing. */
  readonly overflowed: boolean;
}
