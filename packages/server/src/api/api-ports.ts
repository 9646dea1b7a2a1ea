import type { IncomingMessage } from "node:http";
import type { Principal, RunRequest, SessionState, StoredFile } from "@parley/sessions";
import type { NewAgent, RegisteredAgent } from "./schemas/agent-schemas.ts";

/** Decides which agent a message goes to: the one that is asked for, else the session's, else the supervisor. */
export interface Runs {
  newRun(
    principal: Principal,
    session: Pick<SessionState, "id" | "agent">,
    agent?: string,
  ): RunRequest | Promise<RunRequest>;
}

/** What can be changed of an agent in the registry. */
export interface AgentChange {
  readonly enabled?: boolean | undefined;
  readonly credentials?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The registry as clients see it: credentials go in and never come out. Refusals are `CommandRefusedError`s or the registry's own. */
export interface Agents {
  list(principal: Principal): Promise<readonly RegisteredAgent[]>;
  add(principal: Principal, agent: NewAgent): Promise<RegisteredAgent>;
  change(principal: Principal, name: string, change: AgentChange): Promise<RegisteredAgent>;
  remove(principal: Principal, name: string): Promise<void>;
  recheck(principal: Principal, name: string): Promise<RegisteredAgent>;
}

/** Files that were uploaded: each belongs to who uploaded it, and is found by nobody else. */
export interface Files {
  put(principal: Principal, file: UploadedFile): Promise<StoredFile>;
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

/** Who sends a request. */
export type PrincipalOf = (request: IncomingMessage) => Principal | Promise<Principal>;
