import type { DomainEvent } from "./domain-event.ts";

/** A session, as the API shows it. */
export interface Session {
  readonly id: string;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly parentId?: string;
  /** The index of its last event. */
  readonly revision: number;
  readonly metadata: {
    readonly agentUrl?: string;
    readonly messageCount: number;
    readonly agent?: string;
    readonly config?: Configuration;
  };
  readonly status: SessionStatus;
  readonly restorableUntil?: string;
  /** Its forks; lists leave them out. */
  readonly children?: readonly SessionChild[];
}

export type SessionStatus = "active" | "archived" | "deleted";
export type Configuration = Readonly<Record<string, unknown>>;

/** A fork of a session, as its parent knows it. */
export interface SessionChild {
  readonly id: string;
  readonly reason: string;
  readonly messages: number;
}

/** A use of a tool within a run. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments?: unknown;
  readonly outcome?: string;
  readonly result?: unknown;
}

/** A file that was uploaded. */
export interface ApiFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

/** A message that this one is an edit of. */
export interface EditRecord {
  readonly sessionId: string;
  readonly messageId: string;
}

/** A message of a session, in its order. */
export interface DomainMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly index: number;
  readonly role: "user" | "assistant" | "system" | "tool";
  readonly content: string;
  readonly timestamp: string;
  readonly metadata: {
    readonly agentRunId?: string;
    readonly toolCalls?: readonly ToolCall[];
    readonly isEdited?: boolean;
    readonly editHistory?: readonly EditRecord[];
    readonly agent?: string;
    readonly files?: readonly ApiFile[];
  };
}

export type RunStatus = "running" | "waiting" | "completed" | "failed" | "cancelled";

/** A run of an agent. */
export interface Run {
  readonly id: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly agentUrl: string;
  readonly contextId: string;
  readonly inputSnapshotHash: string;
  /** The user's message that it answers. */
  readonly messageId: string;
  readonly status: RunStatus;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly retryOf?: string;
  readonly reason?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  /** What it said so far, while it runs. */
  readonly text?: string;
  readonly plan?: readonly unknown[];
}

export type Decision = "approved" | "denied" | "answered";

/** A question that waits for a person, or did. */
export interface Approval {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly question: string;
  readonly requestedAt: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly decision?: Decision;
  readonly answeredAt?: string;
}

/** How an agent has done. */
export interface AgentAnalytics {
  readonly agent: string;
  readonly runs: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly durationMs?: {
    readonly mean: number;
    readonly p50: number;
    readonly p95: number;
    readonly longest: number;
  };
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: readonly { readonly amount: number; readonly currency: string }[];
}

/** An agent of the registry. */
export interface Agent {
  readonly name: string;
  readonly url: string;
  readonly state: "starting" | "up" | "down";
  readonly enabled: boolean;
  readonly hosted?: boolean;
  readonly since?: string;
  readonly description?: string;
  readonly skills?: readonly {
    readonly id: string;
    readonly name: string;
    readonly tags: readonly string[];
  }[];
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly hasCredentials: boolean;
  readonly trouble?: string;
  readonly findings?: readonly string[];
}

/** A page of a list; `next` is null where there is no more. */
export interface Page {
  readonly next: string | null;
}

/** A page of the list of sessions. */
export interface SessionPage extends Page {
  readonly sessions: readonly Session[];
  /** For `changes`: what happens from now on. */
  readonly cursor: string;
}

/** Which sessions came, changed and went since a cursor. */
export interface SessionChanges {
  readonly new: readonly Session[];
  readonly updated: readonly Session[];
  readonly deleted: readonly string[];
  readonly cursor: string;
  readonly more: boolean;
  /** The cursor is not the server's: load the list anew. */
  readonly reset: boolean;
}

/** A session with its messages and events, all or those after an index. */
export interface SessionReading {
  readonly session: Session;
  readonly messages: readonly DomainMessage[];
  readonly events: readonly DomainEvent[];
  /** There are more events after this index. */
  readonly next?: number;
  /** The client was ahead: this is all there is. */
  readonly reset?: true;
  /** Where the event stream goes on from here. */
  readonly cursor: string;
}

/** A fork, as it is answered with. */
export interface Forked {
  readonly session: Session;
  readonly messages: readonly DomainMessage[];
  readonly run?: Run;
  readonly message?: DomainMessage;
}

/** A session as it was at an event. */
export interface Replay {
  readonly session: Session;
  readonly messages: readonly DomainMessage[];
  readonly runs: readonly Run[];
  readonly index: number;
  readonly last: number;
}

/** Something that a search found. */
export interface SearchHit {
  readonly sessionId: string;
  readonly messageId?: string;
  readonly title: string;
  readonly excerpt: string;
}

/** An error, as the API tells of it (RFC 9457). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}
