import { explainCause } from "./failure-cause.mjs";
import { Interrupted, PlainError } from "./plain-error.mjs";

/**
 * Prints a failure to stderr in one sentence and returns the exit code; an unexpected error is a bug and is rethrown.
 * @param {unknown} error
 * @param {string} project
 */
export function reportFailure(error, project) {
  if (error instanceof Interrupted) return error.exitCode;
  const failure = error instanceof PlainError ? error : fromSystemError(error, project);
  if (!failure) throw error;
  const details = failure.details.trimEnd();
  process.stderr.write(`${details ? `${details}\n\n` : ""}${failure.message}\n`);
  return failure.exitCode;
}

/**
 * @param {unknown} error
 * @param {string} project
 */
function fromSystemError(error, project) {
  const { code, path } = /** @type {NodeJS.ErrnoException} */ (error);
  const reason = explainCause(code, path ?? project);
  return reason && new PlainError(`Parley cannot be set up: ${reason}.`);
}
