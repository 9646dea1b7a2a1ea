import { ApiError } from "@parley/client";

/** The exit codes of all commands. */
export const EXIT = {
  done: 0,
  /** The command failed, or what it checked is not as it should be. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The server or the agent does not answer. */
  unreachable: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected failure; its message tells the user what to do. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

type ErrorClass = abstract new (...args: never[]) => Error;

/** Turns errors of these classes, whose messages are written for users, into a `CommandError`. */
export async function withUserErrors<Result>(
  classes: readonly ErrorClass[],
  work: () => Result | Promise<Result>,
  { prefix = "", exitCode = EXIT.failed }: { readonly prefix?: string; readonly exitCode?: ExitCode } = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && classes.some((each) => error instanceof each))
      throw new CommandError(`${prefix}${error.message}`, exitCode);
    throw error;
  }
}

/** Whether a call failed because the server does not answer. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "unreachable" || error.code === "deadline");
}

/** The message and exit code of an error; only a bug of ours is shown with its stack. */
export function describeError(error: unknown): { readonly message: string; readonly exitCode: ExitCode } {
  if (error instanceof CommandError) return error;
  if (error instanceof ApiError)
    return { message: error.message, exitCode: isUnreachable(error) ? EXIT.unreachable : EXIT.failed };
  if (error instanceof Error && (error.name === "AbortError" || error.name === "ExitPromptError"))
    return { message: "Interrupted", exitCode: EXIT.interrupted };
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return { message: `This is a bug in Parley: ${stack ?? message}`, exitCode: EXIT.failed };
}
