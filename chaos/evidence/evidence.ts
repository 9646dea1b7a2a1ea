import type { SessionEvent } from "@parley/sessions";
import type { HttpAnswer } from "../clients/http-exchange.ts";
import type { Guise } from "../clients/intruder.ts";
import type { SseFrame } from "../clients/sse-frames.ts";
import type { Fault, NodeName } from "../schedule/fault.ts";
import type { UnaskedEnd } from "../world/kept-process.ts";
import type { WitnessedLease, WitnessedWrite } from "../world/witness.ts";

/** An event as the log has it. */
export interface LoggedEvent {
  readonly index: number;
  readonly at: number;
  readonly json: string;
}

/** A stream as the log has it, when all was quiet. */
export interface LoggedStream {
  readonly name: string;
  readonly head: number;
  readonly trimmed: number;
  readonly events: readonly LoggedEvent[];
}

/** A fault that did happen. */
export interface InjectedFault {
  readonly fault: Fault;
  readonly began: number;
  readonly ended: number;
  /** The life that a node was in when it began, as in `node-a.2`. */
  readonly life?: string | undefined;
  /** How often it was felt; 0: it hit nothing. */
  readonly felt: number;
}

/** One connection of a follower, with every frame that it got whole. */
interface FollowedStream {
  readonly node: NodeName;
  readonly lastId: string | null;
  readonly frames: readonly SseFrame[];
}

export interface FollowerEvidence {
  readonly name: string;
  /** Whose sessions it may see. */
  readonly workspace: string;
  readonly streams: readonly FollowedStream[];
  /** It went away before it had all. */
  readonly isPartial?: boolean;
}

/** An answer to a command. */
export interface CommandAnswer {
  readonly at: number;
  readonly node: NodeName;
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** A command as its client knows it: sent under one key, once or often. */
export interface CommandEvidence {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly sent: number;
  readonly answers: readonly CommandAnswer[];
}

/** A webhook as its receiver got it. */
export interface ReceivedWebhook {
  readonly at: number;
  readonly id: string;
  readonly text: string;
  readonly taken: boolean;
}

/** One request by A2A, with every event that its client got, over all its connections. */
export interface CallEvidence {
  readonly key: string;
  readonly taskId: string | undefined;
  readonly frames: readonly SseFrame[];
  readonly answers: readonly string[];
}

/** Somebody reached for what is not theirs, or listed what is. */
export interface AttemptEvidence {
  readonly attempt: string;
  readonly guise: Guise;
  /** Whose things they may see. */
  readonly workspace: string;
  readonly node: NodeName;
  /** The answer about the thing itself. */
  readonly real?: HttpAnswer | undefined;
  /** The answer to the same request about what is not there. */
  readonly none?: HttpAnswer | undefined;
  readonly listed?: HttpAnswer | undefined;
  /** The answer to something of their own under a name that somebody else has. */
  readonly chosen?: HttpAnswer | undefined;
  /** The answer to what is refused to them, whatever is there. */
  readonly forbidden?: HttpAnswer | undefined;
}

/** Somebody attacked a node, and somebody else asked it for something meanwhile. */
export interface AttackEvidence {
  readonly attack: string;
  readonly node: NodeName;
  readonly asked: number;
  readonly answered: number;
  /** Nothing else was wrong. */
  readonly isCalm: boolean;
  /** Of the answer to who asked meanwhile; undefined: there was none. */
  readonly status?: number | undefined;
  readonly retryAfter?: string | undefined;
}

/** What somebody wrote, and what their client showed in the end. */
export interface OfflineClientEvidence {
  readonly name: string;
  readonly workspace: string;
  readonly wrote: readonly {
    readonly sessionId: string;
    readonly messageId: string;
    readonly content: string;
    readonly isOffline: boolean;
  }[];
  /** How often the network was gone, and how often the page was killed or closed. */
  readonly offline: number;
  readonly killed: number;
  readonly closed: number;
  readonly arrived: Arrived | undefined;
}

/** What a client has when all is quiet. */
interface Arrived {
  readonly queue: readonly unknown[];
  readonly sessions: readonly {
    readonly id: string;
    readonly index: number;
    readonly messages: readonly (readonly string[])[];
  }[];
  readonly list: readonly { readonly id: string; readonly title: string }[];
}

interface ProcessEvidence {
  readonly name: string;
  readonly lives: number;
  readonly peakMb: number;
  /** How often its memory was looked at. */
  readonly looks: number;
  readonly unaskedEnds: readonly UnaskedEnd[];
}

/** All that a run left behind: what the database says, what its witness says, and what clients saw. */
export interface Evidence {
  readonly began: number;
  /** When the last fault was over, and nobody asked any more. */
  readonly calmAt: number;
  readonly faults: readonly InjectedFault[];
  readonly streams: ReadonlyMap<string, LoggedStream>;
  readonly writes: readonly WitnessedWrite[];
  readonly leases: readonly WitnessedLease[];
  readonly followers: readonly FollowerEvidence[];
  readonly commands: readonly CommandEvidence[];
  readonly calls: readonly CallEvidence[];
  readonly attempts: readonly AttemptEvidence[];
  readonly attacks: readonly AttackEvidence[];
  readonly offlineClients: readonly OfflineClientEvidence[];
  readonly webhooks: readonly ReceivedWebhook[];
  /** The tasks with a webhook that is still to be tried again. */
  readonly waitingWebhooks: ReadonlySet<string>;
  /** What the tool wrote, a line for each time that it was called. */
  readonly ledger: readonly string[];
  readonly processes: readonly ProcessEvidence[];
  /** The record's tables as they are, and made anew from the log. */
  readonly tables: { readonly live: Tables; readonly rebuilt: Tables };
  /** Sums over all lives of all nodes, by name. */
  readonly metrics: ReadonlyMap<string, number>;
}

export type Tables = Readonly<Record<string, readonly unknown[]>>;

const SESSION = "session/";

/** An event of a session, with its place. */
export interface SessionEntry {
  readonly index: number;
  readonly at: number;
  readonly event: SessionEvent;
}

/** Every checker asks for them. */
const READ = new WeakMap<Evidence["streams"], ReadonlyMap<string, readonly SessionEntry[]>>();

/** The sessions in the log, by id. */
export function sessionsIn({
  streams,
}: Pick<Evidence, "streams">): ReadonlyMap<string, readonly SessionEntry[]> {
  const sessions = READ.get(streams) ?? readSessions(streams);
  READ.set(streams, sessions);
  return sessions;
}

function readSessions(streams: Evidence["streams"]): Map<string, readonly SessionEntry[]> {
  const sessions = [...streams.values()].filter(({ name }) => name.startsWith(SESSION));
  return new Map(
    sessions.map(({ name, events }) => [
      name.slice(SESSION.length),
      events.map(({ index, at, json }) => ({ index, at, event: JSON.parse(json) as SessionEvent })),
    ]),
  );
}
