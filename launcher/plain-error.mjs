/** A failure in one sentence that says what to do; `details` are a tool's output. */
export class PlainError extends Error {
  /**
   * @param {string} sentence
   * @param {{ details?: string, exitCode?: number }} [more]
   */
  constructor(sentence, { details = "", exitCode = 1 } = {}) {
    super(sentence);
    this.details = details;
    this.exitCode = exitCode;
  }
}

/** A signal ended the launcher while it was working. */
export class Interrupted extends Error {
  /** @param {number} exitCode */
  constructor(exitCode) {
    super("interrupted");
    this.exitCode = exitCode;
  }
}
