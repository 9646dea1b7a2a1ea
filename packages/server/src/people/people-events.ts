import { createHash } from "node:crypto";
import type { Role } from "../access/identity.ts";

const USER = "user/";
const MEMBERS = "members/";

/** Somebody, as the provider that they signed in with knows them. */
export interface Profile {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** Only where the provider says that it is theirs. */
  readonly email?: string | undefined;
}

/** What happens to a user. */
export type UserEvent = { readonly type: "user_known" } & Profile;

/** What happens to a workspace and its people. */
export type WorkspacePeopleEvent =
  | { readonly type: "workspace_named"; readonly name: string }
  | { readonly type: "member_set"; readonly userId: string; readonly role: Role }
  | { readonly type: "member_removed"; readonly userId: string }
  | {
      readonly type: "invited";
      readonly email: string;
      readonly role: Role;
      readonly by: string;
    }
  | { readonly type: "invitation_removed"; readonly email: string };

/** The stream of a user. */
export function userStream(userId: string): string {
  return USER + userId;
}

/** The stream of who is in a workspace. */
export function membersStream(workspace: string): string {
  return MEMBERS + workspace;
}

/** The user that a stream is of; undefined: it is another kind of stream. */
export function userOf(stream: string): string | undefined {
  return stream.startsWith(USER) ? stream.slice(USER.length) : undefined;
}

/** The workspace whose people a stream tells of; undefined: it is another kind of stream. */
export function workspaceOfMembers(stream: string): string | undefined {
  return stream.startsWith(MEMBERS) ? stream.slice(MEMBERS.length) : undefined;
}

/** The id of whom an issuer knows by this subject: the same on every node, so that a first login happens once. */
export function userIdOf({ issuer, subject }: Pick<Profile, "issuer" | "subject">): string {
  return `usr_${hashed([issuer, subject])}`;
}

/** Whether this is, or could become, the id of somebody who signs in. */
export function isUserId(owner: string): boolean {
  return owner.startsWith("usr_");
}

/** The workspace that a user begins with. */
export function personalWorkspaceOf(userId: string): string {
  return `wsp_${hashed(["personal", userId])}`;
}

function hashed(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 24);
}
