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
  /** From where they come, as the audit log has it. */
  readonly address?: string;
  /** They come by a key: they are this user in this workspace, and nowhere else. */
  readonly isBound?: boolean;
  /** They have shown that the data folder is theirs: they make keys for anybody. */
  readonly ownsData?: boolean;
  /** They signed in on a page, and can sign out there. */
  readonly isLogin?: boolean;
  /** They have shown nothing but a link: its id, or "" for a token that opens nothing. Only the routes for links are theirs. */
  readonly link?: string;
  /** Says when they lose access (revoked, expired), so that open streams end. */
  readonly ended?: AbortSignal;
}

/** As much of a request as tells who sends it. */
export type IdentifiedRequest = Pick<IncomingMessage, "headers" | "method" | "url">;

/**
 * One way to show who one is; undefined: this request does not use this way; `NotAuthenticatedError`
 * (access/not-authenticated-error.ts, with a reason a person can act on): it does, wrongly.
 */
export interface Authenticator {
  identify(request: IdentifiedRequest): Promise<Identity | undefined>;
}

/** Who everybody is where nobody has to show who they are: whoever can reach the port owns the machine's one workspace. */
export const LOCAL: Identity = { owner: "local", workspace: "default", role: "owner", name: "local" };

/** Whether they look after the whole platform, which all workspaces share: its agents, settings and measurements. */
export function isOperator({ role, workspace }: Pick<Identity, "role" | "workspace">): boolean {
  return role === "owner" && workspace === LOCAL.workspace;
}
