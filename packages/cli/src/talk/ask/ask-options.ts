import type { TalkOptions } from "../talk-options.ts";

/** How one question is asked by a program, or where nobody can answer back. */
export interface AskOptions extends TalkOptions {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** What is answered when leave is asked for, with the message as the reason where it waits already; undefined: it is left to the user. */
  readonly decision?: "approved" | "denied" | undefined;
  /** Where the files of the answer are stored. */
  readonly folder?: string | undefined;
  readonly timeoutMs?: number | undefined;
}
