/** The caller has not shown who they are; the message says what to do. */
export class NotAuthenticatedError extends Error {
  override get name(): string {
    return "NotAuthenticatedError";
  }
}
