import { createHash } from "node:crypto";
import type { WorkspaceRole } from "../identity.ts";

/** A user as their provider knows them. */
export interface Profile {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** Only where the provider has verified it. */
  readonly email?: string | undefined;
}

/** What happens to a user. */
export type UserEvent = { readonly type: "user_known" } & Profile;

/** What happens to a workspace and its people. */
export type MembershipEvent =
  | { readonly type: "workspace_named"; readonly name: string }
  | { readonly type: "member_set"; readonly userId: string; readonly role: WorkspaceRole }
  | { readonly type: "member_removed"; readonly userId: string }
  | {
      readonly type: "invited";
      readonly email: string;
      readonly role: WorkspaceRole;
      readonly by: string;
    }
  | { readonly type: "invitation_removed"; readonly email: string };

/** Two functions: the stream of an id, and the id of a stream, which is undefined for streams of another kind. */
export function streamNames(prefix: string) {
  const streamOf = (id: string) => prefix + id;
  const idIn = (stream: string) => (stream.startsWith(prefix) ? stream.slice(prefix.length) : undefined);
  return [streamOf, idIn] as const;
}

export const [userStream, userIdIn] = streamNames("user/");
export const [membersStream, workspaceIn] = streamNames("members/");

/** A user's id, derived from issuer and subject, so that a first login on two nodes creates one user. */
export function userIdOf({ issuer, subject }: Pick<Profile, "issuer" | "subject">): string {
  return `usr_${hashed([issuer, subject])}`;
}

/** Whether this is the id of a user who signs in, not of a service account. */
export function isUserId(owner: string): boolean {
  return owner.startsWith("usr_");
}

/** The workspace that is created with a user. */
export function personalWorkspaceOf(userId: string): string {
  return `wsp_${hashed(["personal", userId])}`;
}

function hashed(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 24);
}
