import type { NamedKey, UploadedFile } from "@parley/adapters";
import type { Actor, AuditLog, KeyStore } from "@parley/identity";
import type { Principal } from "@parley/sessions";
import type { OwnSettings } from "../record/own-settings.ts";
import type { BlobFiles } from "./files/blob-files.ts";
import type { NewAgent, RegisteredAgent } from "./schemas/agent-schemas.ts";

/** What can be changed of an agent in the registry. */
export interface AgentChange {
  readonly enabled?: boolean | undefined;
  readonly credentials?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * The registry as clients see it: credentials go in and never come out. Refusals are `CommandRefusedError`s or the
 * registry's own. A command with a key has one effect and one answer, however often it comes; who gave it is noted in
 * the audit log with its effect.
 */
export interface Agents {
  /** All, or those that are up and have this skill, the best first. */
  list(principal: Principal, skill?: string): Promise<readonly RegisteredAgent[]>;
  get(principal: Principal, name: string): Promise<RegisteredAgent>;
  add(by: Actor, agent: NewAgent, key?: NamedKey): Promise<RegisteredAgent>;
  change(by: Actor, name: string, change: AgentChange, key?: NamedKey): Promise<RegisteredAgent>;
  remove(by: Actor, name: string, key?: NamedKey): Promise<void>;
  /** Takes a removal back, with the credentials as they were. */
  restore(by: Actor, name: string, key?: NamedKey): Promise<RegisteredAgent>;
  /** What would be found if it were added; nothing is kept. */
  check(principal: Principal, agent: NewAgent): Promise<RegisteredAgent>;
  recheck(principal: Principal, name: string): Promise<RegisteredAgent>;
}

/** Files that were uploaded: each belongs to who uploaded it, and is found by nobody else. */
export type Files = Pick<BlobFiles, "put" | "receive" | "describe" | "content" | "read">;

/** A file on its way. */
export interface IncomingFile extends Omit<UploadedFile, "content"> {
  /** So many bytes, if the sender says how many. */
  readonly declared: number;
  readonly content: AsyncIterable<Uint8Array>;
  readonly keyOf: (hash: string) => NamedKey | undefined;
}

/** What this platform is set to, as far as clients may know; nothing of it is set from here. */
export type Settings = Pick<OwnSettings, "read" | "testModel">;

/** The keys by which programs show who they are. */
export type Keys = Pick<KeyStore, "list" | "create" | "revoke">;

/** Who did what. */
export type Audit = Pick<AuditLog, "append" | "page">;
