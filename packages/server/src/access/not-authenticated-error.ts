/** Somebody has not shown who they are, or not well; the message says what to do about it. */
export class NotAuthenticatedError extends Error {
  override readonly name = "NotAuthenticatedError";
  /** Whether something was shown, which is no good. */
  readonly hasCredential: boolean;

  constructor(
    message: string,
    { hasCredential = true, cause }: { readonly hasCredential?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.hasCredential = hasCredential;
  }

  /** The header `WWW-Authenticate` (RFC 6750). */
  get challenge(): string {
    return this.hasCredential ? 'Bearer realm="parley", error="invalid_token"' : 'Bearer realm="parley"';
  }
}
