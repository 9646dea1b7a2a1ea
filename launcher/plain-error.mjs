/** A failure told in one sentence that says what to do; `details` are what a tool printed about it. */
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

/** The user or the system ended the launcher by a signal while it was at work. */
export class Interrupted extends Error {
  /** @param {number} exitCode */
  constructor(exitCode) {
    super("interrupted");
    this.exitCode = exitCode;
  }
}
