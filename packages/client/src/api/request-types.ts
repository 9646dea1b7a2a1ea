import type { paths } from "./generated.ts";

export type { NewAgent, NewComparison, NewMessage } from "./generated.ts";

type Asked<Path extends keyof paths, Method extends "post" | "put" | "patch"> = paths[Path] extends {
  readonly [method in Method]: {
    readonly requestBody?: { readonly content: { readonly "application/json": infer Body } };
  };
}
  ? Body
  : never;

export type NewSession = Asked<"/sessions", "post">;
export type SessionChange = Asked<"/sessions/{id}", "patch">;
/** What a message is to say in a fork. */
export type MessageEdit = Asked<"/sessions/{id}/messages/{messageId}", "put">;
/** A fork: its id, its title, and where in its parent it begins. */
export type NewFork = Asked<"/sessions/{id}/fork", "post">;
/** Where in its parent a fork begins; nothing: as the parent is. */
export type ForkPoint = Omit<NewFork, "id" | "title">;
/** A run that is to be made again, in a fork. */
export type Retry = Asked<"/sessions/{id}/runs/{runId}/retry", "post">;
/** A person's answer to an approval. */
export type Answer = Asked<"/sessions/{id}/approvals/{approvalId}", "post">;
/** A link to a session, and until when it holds. */
export type NewShare = Asked<"/sessions/{id}/shares", "post">;
export type AgentChange = Asked<"/agents/{name}", "patch">;
/** Which dead letters are to be sent again. */
export type DeadLetterReplay = Asked<"/webhooks/dead-letters/replay", "post">;
export type NewKey = Asked<"/keys", "post">;
export type NewMember = Asked<"/workspaces/{id}/members", "post">;

/** Which entries of the audit log are wanted. */
export interface AuditQuery {
  readonly limit?: number;
  /** Where the page before ended: its `next`. */
  readonly before?: number;
  readonly workspace?: string;
  /** Such as `key`, or `key.revoked`. */
  readonly action?: string;
  /** Part of who did it. */
  readonly who?: string;
}

/** A file that is to be uploaded. */
export interface NewFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Blob | Uint8Array<ArrayBuffer>;
}

/** Which page of a list is wanted. */
export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}
