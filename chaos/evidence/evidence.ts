import type { SessionEvent } from "@parley/sessions";
import type { HttpAnswer } from "../clients/http-exchange.ts";
import type { Guise } from "../clients/intruder.ts";
import type { SseFrame } from "../clients/sse-frames.ts";
import type { Fault, NodeName } from "../schedule/fault.ts";
import type { UnaskedEnd } from "../world/kept-process.ts";
import type { WitnessedLease, WitnessedWrite } from "../world/witness.ts";

/** An event in the log. */
export interface LoggedEvent {
  readonly index: number;
  readonly at: number;
  readonly json: string;
}

/** A stream in the log, after the run came to rest. */
export interface LoggedStream {
  readonly name: string;
  readonly head: number;
  readonly trimmed: number;
  readonly events: readonly LoggedEvent[];
}

/** An injected fault. */
export interface InjectedFault {
  readonly fault: Fault;
  readonly began: number;
  readonly ended: number;
  /** The node's life at the start of the fault, as in `node-a.2`. */
  readonly life?: string | undefined;
  /** How often it had an effect; 0 if it hit nothing. */
  readonly felt: number;
}

/** One connection of a follower, with every complete frame it received. */
interface FollowedStream {
  readonly node: NodeName;
  readonly lastId: string | null;
  readonly frames: readonly SseFrame[];
}

export interface FollowerEvidence {
  readonly name: string;
  /** The workspace whose sessions it may see. */
  readonly workspace: string;
  readonly streams: readonly FollowedStream[];
  /** It disconnected early. */
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

/** A command as its client sent it: under one key, once or several times. */
export interface CommandEvidence {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly sent: number;
  readonly answers: readonly CommandAnswer[];
}

/** A webhook as received. */
export interface ReceivedWebhook {
  readonly at: number;
  readonly id: string;
  readonly text: string;
  readonly taken: boolean;
}

/** One A2A request, with every event its client received over all its connections. */
export interface CallEvidence {
  readonly key: string;
  readonly taskId: string | undefined;
  readonly frames: readonly SseFrame[];
  readonly answers: readonly string[];
}

/** An attempt to access another user's resource, or a list of one's own. */
export interface AttemptEvidence {
  readonly attempt: string;
  readonly guise: Guise;
  /** The workspace whose resources they may see. */
  readonly workspace: string;
  readonly node: NodeName;
  /** The response for the resource itself. */
  readonly real?: HttpAnswer | undefined;
  /** The response to the same request for a missing resource. */
  readonly none?: HttpAnswer | undefined;
  readonly listed?: HttpAnswer | undefined;
  /** The response for their own resource under an id that another user has. */
  readonly chosen?: HttpAnswer | undefined;
  /** The response to a request that is always forbidden to them. */
  readonly forbidden?: HttpAnswer | undefined;
}

/** An attack on a node, and a probe by another user meanwhile. */
export interface AttackEvidence {
  readonly attack: string;
  readonly node: NodeName;
  readonly asked: number;
  readonly answered: number;
  /** There was no other fault. */
  readonly isCalm: boolean;
  /** The status of the probe's response; undefined if there was none. */
  readonly status?: number | undefined;
  readonly retryAfter?: string | undefined;
}

/** What a user wrote offline, and what their client showed in the end. */
export interface OfflineClientEvidence {
  readonly name: string;
  readonly workspace: string;
  readonly wrote: readonly {
    readonly sessionId: string;
    readonly messageId: string;
    readonly content: string;
    readonly isOffline: boolean;
  }[];
  /** How often the network went down, and how often the page was killed or closed. */
  readonly offline: number;
  readonly killed: number;
  readonly closed: number;
  readonly arrived: Arrived | undefined;
}

/** A client's state after the run came to rest. */
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
  /** The number of memory samples. */
  readonly looks: number;
  readonly unaskedEnds: readonly UnaskedEnd[];
}

/** The evidence of a run: the database, the witness's notes, and what clients saw. */
export interface Evidence {
  readonly began: number;
  /** When the last fault was over and clients had stopped sending. */
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
  /** The tasks with a webhook that is waiting for a retry. */
  readonly waitingWebhooks: ReadonlySet<string>;
  /** The tool's ledger, a line per call. */
  readonly ledger: readonly string[];
  readonly processes: readonly ProcessEvidence[];
  /** The projection's tables: live, and rebuilt from the log. */
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

/** Cached, because every checker needs them. */
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
