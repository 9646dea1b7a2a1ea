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

/** A session that is to be. */
export interface NewSession {
  readonly id?: string;
  readonly title?: string;
  readonly agent?: string;
  readonly config?: Configuration;
}

/** What is to be different about a session. */
export interface SessionChange {
  readonly title?: string;
  readonly agent?: string;
  readonly config?: Configuration;
  readonly archived?: boolean;
}

/** A message of the user's that is to be. */
export interface NewMessage {
  readonly id?: string;
  readonly content: string;
  /** Ids of files that were uploaded before. */
  readonly files?: readonly string[];
  readonly agent?: string;
}

/** What a message is to say in a fork. */
export interface MessageEdit extends NewFork {
  readonly content: string;
  readonly agent?: string;
  /** Let the run that is under way end by itself. */
  readonly orphan?: boolean;
}

/** A fork and the message that goes on in it. */
export interface NewBranch extends NewFork {
  readonly messageId?: string;
  readonly content: string;
  readonly files?: readonly string[];
  readonly agent?: string;
}

/** A run that is to be made again, in a fork. */
export interface Retry extends NewFork {
  readonly agent?: string;
}

/** A message for several agents. */
export interface Comparison {
  readonly content: string;
  readonly files?: readonly string[];
  readonly agents: readonly string[];
}

/** A person's answer to an approval. */
export interface Answer {
  readonly decision: Decision;
  readonly text?: string;
  readonly arguments?: unknown;
}

/** An agent that is to be known. */
export interface NewAgent {
  readonly url: string;
  readonly name?: string;
  readonly credentials?: Readonly<Record<string, unknown>>;
}

/** What is to be different about an agent. */
export interface AgentChange {
  readonly enabled?: boolean;
  /** Null: none any more. */
  readonly credentials?: Readonly<Record<string, unknown>> | null;
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
