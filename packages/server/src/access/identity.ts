import type { IncomingMessage } from "node:http";

/** What somebody may do in a workspace: a viewer reads, an editor also works, an owner also manages people, keys and agents. */
export type Role = "owner" | "editor" | "viewer";

/** Somebody who has shown who they are. */
export interface Identity {
  /** The user's id: what they make belongs to it. */
  readonly owner: string;
  readonly workspace: string;
  readonly role: Role;
  /** How a person would name them, for the audit log and the page. */
  readonly name: string;
  /** Says when they lose access (revoked, expired), so that open streams end. */
  readonly ended?: AbortSignal;
}

/** One way to show who one is; undefined: this request does not use this way; `NotAuthenticatedError`: it does, wrongly. */
export interface Authenticator {
  identify(request: Pick<IncomingMessage, "headers" | "method" | "url">): Promise<Identity | undefined>;
}
