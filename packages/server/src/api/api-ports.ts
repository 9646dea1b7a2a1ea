import type { Principal, RunRequest, SessionState, StoredFile } from "@parley/sessions";
import type { Actor, AuditLog } from "../access/audit-log.ts";
import type { KeyBook } from "../access/key-book.ts";
import type { NamedKey } from "./command-ids.ts";
import type { NewAgent, RegisteredAgent } from "./schemas/agent-schemas.ts";
import type { ModelTest, PlatformSettings } from "./schemas/settings-schemas.ts";

/** Who is asked for, by name or by what they can do. */
export interface RunChoice {
  readonly agent?: string | undefined;
  readonly skill?: string | undefined;
}

/** Decides which agent a message goes to: the one that is asked for, else the session's, else the supervisor. */
export interface Runs {
  newRun(
    principal: Principal,
    session: Pick<SessionState, "id" | "agent">,
    choice?: RunChoice,
  ): RunRequest | Promise<RunRequest>;
}

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
export interface Files {
  put(principal: Principal, file: UploadedFile): Promise<StoredFile>;
  /** Takes a file as it comes, with a key for its hash; of what breaks off nothing stays. `KeyReusedError` where another file came under it before. */
  receive(principal: Principal, file: IncomingFile): Promise<StoredFile>;
  /** Throws `CommandRefusedError` where there is none that is the principal's. */
  describe(principal: Principal, blob: string): Promise<StoredFile>;
  content(principal: Principal, blob: string): Promise<Uint8Array>;
}

/** A file as it came. */
export interface UploadedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** A file on its way. */
export interface IncomingFile extends Omit<UploadedFile, "content"> {
  /** So many bytes at most. */
  readonly most: number;
  readonly content: AsyncIterable<Uint8Array>;
  readonly keyOf: (hash: string) => NamedKey | undefined;
}

/** What this platform is set to, as far as clients may know; nothing of it is set from here. */
export interface Settings {
  read(): Promise<PlatformSettings>;
  /** Takes one small turn with the model, or with the one in use; never throws for what the model does. */
  testModel(model?: string): Promise<ModelTest>;
}

/** The keys by which programs show who they are. */
export type Keys = Pick<KeyBook, "list" | "create" | "revoke">;

/** Who did what. */
export type Audit = Pick<AuditLog, "intend" | "before">;
