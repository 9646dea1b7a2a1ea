import type { SessionCommand } from "./domain/session-command.ts";
import type { SessionEvent } from "./domain/session-event.ts";
import type { RunStatus, SessionState } from "./domain/session-state.ts";
import type { WorkspaceEvent } from "./open-session.ts";

/** Who asks: all that is read or done is within this. */
export interface Principal {
  readonly owner: string;
  readonly workspace: string;
}

/** An event of a session as it was committed. */
export interface RecordedSessionEvent {
  readonly index: number;
  readonly at: number;
  readonly event: SessionEvent;
}

/** A session as lists show it; times are milliseconds since 1970. */
export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly status: SessionState["status"];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
  readonly messageCount: number;
  readonly parentId?: string;
  readonly agent?: string;
  readonly agentUrl?: string;
}

/** A question that waits for a person, or did. */
export interface ApprovalRow {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly question: string;
  readonly requestedAt: number;
  readonly agent?: string;
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly decision?: "approved" | "denied" | "answered";
  readonly answeredAt?: number;
}

/** A run as lists show it. */
export interface RunRow {
  readonly id: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly agentUrl: string;
  readonly contextId: string;
  readonly inputSnapshotHash: string;
  readonly messageId: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly completedAt?: number;
  readonly retryOf?: string;
  readonly reason?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
}

/** A place where the text was found. */
export interface SearchHit {
  readonly sessionId: string;
  readonly messageId?: string;
  readonly title: string;
  readonly excerpt: string;
}

/** What a command led to; `repeated`: it was carried out before, under the same key. */
export interface Executed {
  readonly state: SessionState;
  readonly child?: SessionState;
  readonly repeated?: true;
}

/** All sessions, as those who serve clients and those who carry out runs see them. What is another's is as if it were not there. */
export interface Sessions {
  execute(
    principal: Principal,
    sessionId: string,
    command: SessionCommand,
    options?: { readonly key?: string },
  ): Promise<Executed>;
  state(principal: Principal, sessionId: string): Promise<SessionState>;
  stateAt(principal: Principal, sessionId: string, eventIndex: number): Promise<SessionState>;
  events(
    principal: Principal,
    sessionId: string,
    after: number,
    limit: number,
  ): Promise<readonly RecordedSessionEvent[]>;
  follow(
    principal: Principal,
    sessionId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly RecordedSessionEvent[]>;
  /** An empty `next` says that there is no more. */
  list(
    principal: Principal,
    query: { readonly limit: number; readonly cursor?: string; readonly status?: string },
  ): Promise<{ sessions: SessionRow[]; next: string }>;
  /** `created` names those of `changed` that came after `since`; `cursor` is past all that was looked at, whose ever it was. */
  changes(
    principal: Principal,
    since: number,
    limit: number,
  ): Promise<{ changed: SessionRow[]; created: string[]; deleted: string[]; cursor: number }>;
  /** The index of the last change there is. */
  changesHead(principal: Principal): Promise<number>;
  /** The facts that `changes` sums up, as they come: the principal's alone. */
  followChanges(
    principal: Principal,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly (WorkspaceEvent & { readonly index: number })[]>;
  search(principal: Principal, text: string, limit: number): Promise<SearchHit[]>;
  approvals(
    principal: Principal,
    query: { readonly open?: boolean; readonly limit: number },
  ): Promise<ApprovalRow[]>;
  runs(
    principal: Principal,
    query: { readonly sessionId?: string; readonly limit: number },
  ): Promise<RunRow[]>;
  onCommitted(listener: (sessionId: string, events: readonly SessionEvent[]) => void): () => void;
}
