import type { IncomingMessage } from "node:http";
import { NotAuthenticatedError } from "./identity-errors.ts";

/** Viewers read, editors also write, owners also manage people, keys and agents. */
export type WorkspaceRole = "owner" | "editor" | "viewer";

/** An authenticated caller. */
export interface Identity {
  /** The user's id, which owns what they create. */
  readonly owner: string;
  readonly workspace: string;
  readonly role: WorkspaceRole;
  /** Display name. */
  readonly name: string;
  /** The client address, for the audit log. */
  readonly address?: string | undefined;
  /** Authenticated by a key, which is bound to this workspace. */
  readonly isBound?: boolean;
  /** Has proved to own the data folder, so may create keys for anybody. */
  readonly ownsData?: boolean;
  /** Signed in in the browser, and can sign out there. */
  readonly isLogin?: boolean;
  /** Authenticated by a share link only: its id, or "" for an invalid token. */
  readonly link?: string;
  /** Aborted when access is revoked or expires, so that open streams end. */
  readonly ended?: AbortSignal;
}

/** A user in a workspace, who owns things or has things done. */
export type WorkspaceUser = Pick<Identity, "owner" | "workspace">;

/** The parts of a request that authenticate it. */
type IdentifiedRequest = Pick<IncomingMessage, "headers" | "method" | "url">;

/**
 * One way to authenticate. Resolves to undefined for requests that do not use it; throws `NotAuthenticatedError`, with a
 * reason that a person can act on, for requests that use it with invalid credentials.
 */
export type Authenticator = (request: IdentifiedRequest) => Promise<Identity | undefined>;

/** Everybody's identity where authentication is off: whoever can reach the port owns the one workspace. */
export const LOCAL_USER: Identity = { owner: "local", workspace: "default", role: "owner", name: "local" };

/** Whether the caller operates the platform that all workspaces share: its agents, settings and metrics. */
export function isOperator({ role, workspace }: Pick<Identity, "role" | "workspace">): boolean {
  return role === "owner" && workspace === LOCAL_USER.workspace;
}

/** The name by which agents know a user; the local user keeps the name from before there were others. */
export function ownerKey({ owner, workspace }: WorkspaceUser): string {
  if (owner === LOCAL_USER.owner && workspace === LOCAL_USER.workspace) return LOCAL_USER.owner;
  return `${encodeURIComponent(workspace)}/${encodeURIComponent(owner)}`;
}

/** The user of an `ownerKey`. */
export function parseOwnerKey(key: string): WorkspaceUser {
  const [workspace, owner] = key.split("/");
  if (workspace === undefined || owner === undefined)
    return { owner: LOCAL_USER.owner, workspace: LOCAL_USER.workspace };
  return { owner: decodeURIComponent(owner), workspace: decodeURIComponent(workspace) };
}

/** Throws where the caller has lost access since the request was admitted: a body may take long to arrive. */
export function checkNotEnded({ ended }: Pick<Identity, "ended">): void {
  if (!ended?.aborted) return;
  const { reason } = ended;
  throw reason instanceof NotAuthenticatedError ? reason : new NotAuthenticatedError(String(reason.message));
}
