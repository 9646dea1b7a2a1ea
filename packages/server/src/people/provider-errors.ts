/** The provider of identities cannot be asked now: whoever is signed in already goes on. */
export class ProviderUnavailableError extends Error {
  constructor(host: string, cause: unknown) {
    super(`${host}, which says who people are, cannot be reached now: try again in a moment`, { cause });
  }
  override get name(): string {
    return "ProviderUnavailableError";
  }
}

/** The provider was asked, and said no; `reason` is its code for why. */
export class LoginRefusedError extends Error {
  readonly reason: string;
  constructor(reason: string, cause?: unknown) {
    super(`Signing in did not succeed (${reason}): try it again from the start`, { cause });
    this.reason = reason;
  }
  override get name(): string {
    return "LoginRefusedError";
  }
}

/** The workspace that a request names is none of the caller's. */
export class WorkspaceMissingError extends Error {
  constructor(workspace: string) {
    super(
      `There is no workspace ${workspace} that you are a member of: choose another, or leave X-Workspace away`,
    );
  }
  override get name(): string {
    return "WorkspaceMissingError";
  }
}
