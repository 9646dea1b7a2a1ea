/** A request lacks valid credentials; the message says what to do about it. */
export class NotAuthenticatedError extends Error {
  /** Whether the request had credentials, which were not valid. */
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

/** A change to people, keys or links was refused; `code` is for programs. */
export class ChangeRefusedError extends Error {
  readonly code: "not_found" | "conflict" | "forbidden";

  constructor(code: ChangeRefusedError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** A share link was never created, was revoked or has expired: nobody learns which. */
export class InvalidShareLinkError extends ChangeRefusedError {
  constructor() {
    super("not_found", "This link is invalid, was revoked, or has expired");
  }
}

/** The identity provider cannot be reached; whoever is signed in stays signed in. */
export class ProviderUnavailableError extends Error {
  constructor(host: string, cause: unknown) {
    super(`The identity provider ${host} cannot be reached: try again in a moment`, { cause });
  }
}

/** The identity provider refused a login; `reason` is its code for why. */
export class LoginRefusedError extends Error {
  readonly reason: string;
  constructor(reason: string, cause?: unknown) {
    super(`Signing in failed (${reason}): start again`, { cause });
    this.reason = reason;
  }
}

/** The caller is not a member of the workspace that the request names. */
export class WorkspaceMissingError extends Error {
  constructor(workspace: string) {
    super(`You are not a member of a workspace ${workspace}: choose another, or omit X-Workspace`);
  }
}
