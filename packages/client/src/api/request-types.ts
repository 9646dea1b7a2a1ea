import type { Configuration, Decision } from "./api-types.ts";

/** Where in its parent a fork begins; nothing: as the parent is. */
export interface ForkPoint {
  /** How many messages it begins with. */
  readonly messages?: number;
  /** The last message that it begins with. */
  readonly messageId?: string;
  /** With all that was there at this event. */
  readonly eventIndex?: number;
}

/** The id of a session that is to be, and its title. */
export interface NewFork {
  readonly id?: string;
  readonly title?: string;
}

export interface NewSession {
  readonly id?: string;
  readonly title?: string;
  readonly agent?: string;
  readonly config?: Configuration;
}

export interface SessionChange {
  readonly title?: string;
  readonly agent?: string;
  readonly config?: Configuration;
  readonly archived?: boolean;
}

export interface NewMessage {
  readonly id?: string;
  readonly content: string;
  /** Ids of files that were uploaded before. */
  readonly files?: readonly string[];
  readonly agent?: string;
}

export interface MessageEdit extends NewFork {
  readonly content: string;
  readonly agent?: string;
  /** Let the run that is under way end by itself. */
  readonly orphan?: boolean;
}

export interface NewBranch extends NewFork {
  readonly messageId?: string;
  readonly content: string;
  readonly files?: readonly string[];
  readonly agent?: string;
}

export interface Retry extends NewFork {
  readonly agent?: string;
}

export interface Comparison {
  readonly content: string;
  readonly files?: readonly string[];
  readonly agents: readonly string[];
}

export interface Answer {
  readonly decision: Decision;
  readonly text?: string;
  readonly arguments?: unknown;
}

export interface NewAgent {
  readonly url: string;
  readonly name?: string;
  readonly credentials?: Readonly<Record<string, unknown>>;
}

export interface AgentChange {
  readonly enabled?: boolean;
  /** Null: none any more. */
  readonly credentials?: Readonly<Record<string, unknown>> | null;
}

export interface NewFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Blob | Uint8Array<ArrayBuffer>;
}

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}
