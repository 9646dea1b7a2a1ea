import { ApiError } from "@parley/client";
import { CommandError, EXIT, type ExitCode } from "./command-error.ts";

/** What went wrong, in a sentence that says what to do; only a mistake of ours comes with its stack. */
export function explained(error: unknown): { readonly message: string; readonly exitCode: ExitCode } {
  if (error instanceof CommandError) return error;
  if (error instanceof ApiError) {
    const exitCode =
      error.code === "unreachable" || error.code === "deadline" ? EXIT.unreachable : EXIT.failed;
    return { message: error.message, exitCode };
  }
  if (isAbort(error)) return { message: "Interrupted", exitCode: EXIT.interrupted };
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return { message: `This is a mistake in Parley: ${stack ?? message}`, exitCode: EXIT.failed };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "ExitPromptError");
}
