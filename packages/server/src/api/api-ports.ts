import type { NamedKey, UploadedFile } from "@parley/adapters";
import type { AuditLog, KeyStore } from "@parley/identity";
import type { OwnSettings } from "../record/own-settings.ts";
import type { RegisteredAgents } from "../record/registered-agents.ts";
import type { BlobFiles } from "./files/blob-files.ts";

/** A change to an agent of the registry. */
export interface AgentChange {
  readonly enabled?: boolean | undefined;
  readonly credentials?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The agent registry as the API uses it. */
export type Agents = Pick<
  RegisteredAgents,
  "list" | "get" | "add" | "change" | "remove" | "restore" | "check" | "recheck"
>;

/** Uploaded files; each is visible only to its uploader. */
export type Files = Pick<BlobFiles, "put" | "receive" | "describe" | "content" | "read">;

/** A file that is being uploaded. */
export interface IncomingFile extends Omit<UploadedFile, "content"> {
  /** Its size according to the sender; 0 if unknown. */
  readonly declared: number;
  readonly content: AsyncIterable<Uint8Array>;
  readonly keyOf: (hash: string) => NamedKey | undefined;
}

/** The settings that clients may see, read-only. */
export type Settings = Pick<OwnSettings, "read" | "testModel">;

/** API keys. */
export type Keys = Pick<KeyStore, "list" | "create" | "revoke">;

/** The audit log. */
export type Audit = Pick<AuditLog, "append" | "page">;
