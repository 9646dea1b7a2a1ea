/** How a command ends: scripts act on it. */
export const EXIT = {
  done: 0,
  /** It was carried out, and what it looked at is not as it should be; or it could not be carried out. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The server, or the agent, does not answer. */
  unreachable: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Why a command ends without success: a sentence that says what to do. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
