import {
  BrokenChainError,
  FencedError,
  IndexConflictError,
  type JournalError,
  StreamDeletedError,
} from "../errors.ts";
import type { StreamState } from "../event-store.ts";
import { RecordedEvent } from "../events/recorded-event.ts";
import type { AppendChain, Merge } from "../journal.ts";
import { isStaleLease } from "../leases/stale-lease.ts";
import { type EncodedPayload, encodePayload, payloadOf } from "./payload.ts";

/** Merged events stay well below the largest event, so that readers get pieces of a moderate size. */
const MAX_MERGED_BYTES = 65_536;

/** An event that waits for its commit, and with it for its index. */
export interface PendingEvent extends EncodedPayload {
  readonly payload: unknown;
  readonly at: number;
  readonly merge: Merge | undefined;
}

/** The part of a unit that goes to one stream. */
export interface AppendPart {
  readonly stream: string;
  readonly events: readonly PendingEvent[];
  readonly expected: number | undefined;
  /** The fencing token of the writer's lease. */
  readonly epoch: number | undefined;
}

/** What succeeds or fails as a whole: one call of `append` or `appendAll`. */
export interface AppendUnit {
  readonly parts: readonly AppendPart[];
  readonly chain?: AppendChain | undefined;
  /** Why it cannot be written; it is queued only to break its chain in its turn. */
  readonly doomed?: Error | undefined;
}

export interface PlannedStream {
  readonly stream: string;
  readonly state: StreamState;
  readonly events: readonly RecordedEvent[];
  /** How many events joined another. */
  readonly merged: number;
}

/** For each unit the last index of each of its parts, or the error that refuses it; and what to write. */
export interface CommitPlan {
  readonly outcomes: readonly (readonly number[] | Error)[];
  readonly streams: readonly PlannedStream[];
}

/** Decides, in the order of the units, which are accepted and which event gets which index. Pure. */
export function planCommit(
  units: readonly AppendUnit[],
  stateOf: (stream: string) => StreamState,
): CommitPlan {
  const drafts = new Map<string, StreamDraft>();
  const draftOf = (stream: string): StreamDraft => {
    let draft = drafts.get(stream);
    if (!draft) {
      draft = new StreamDraft(stream, stateOf(stream));
      drafts.set(stream, draft);
    }
    return draft;
  };
  const broken = new Set<AppendChain>();
  const outcomes = units.map(({ parts, chain, doomed }) => {
    const isBroken = chain !== undefined && (chain.broken || broken.has(chain));
    const refused = doomed ?? (isBroken ? new BrokenChainError() : refusal(parts, draftOf));
    if (refused && chain) broken.add(chain);
    return refused ?? parts.map((part) => accept(part, draftOf));
  });
  const streams = [...drafts.values()].filter((draft) => draft.size > 0).map((draft) => draft.seal());
  return { outcomes, streams };
}

function accept({ stream, events, expected }: AppendPart, draftOf: (stream: string) => StreamDraft): number {
  const draft = draftOf(stream);
  for (const event of events) draft.add(event, expected === undefined);
  return draft.head;
}

// All parts are checked before any is applied: a unit that is refused leaves no trace.
function refusal(
  parts: readonly AppendPart[],
  draftOf: (stream: string) => StreamDraft,
): JournalError | undefined {
  for (const part of parts) {
    const { stream, expected, epoch } = part;
    const { state, head } = draftOf(stream);
    if (state.deleted) return new StreamDeletedError(stream);
    if (isStaleLease(epoch, state)) return new FencedError(stream, epoch, state.epoch);
    if (expected === undefined) continue;
    const earlier = parts.slice(0, parts.indexOf(part)).filter((other) => other.stream === stream);
    const end = earlier.reduce((sum, other) => sum + other.events.length, head);
    if (expected !== end) return new IndexConflictError(stream, expected, end);
  }
  return undefined;
}

/** Several events that became one; it is encoded when the plan is done. */
interface MergedEvent {
  readonly payload: unknown;
  readonly at: number;
  readonly bytes: number;
  readonly json: undefined;
}

class StreamDraft {
  readonly stream: string;
  readonly state: StreamState;
  readonly #events: (PendingEvent | MergedEvent)[] = [];
  #merged = 0;

  constructor(stream: string, state: StreamState) {
    this.stream = stream;
    this.state = state;
  }

  get size(): number {
    return this.#events.length;
  }

  get head(): number {
    return this.state.head + this.#events.length;
  }

  add(event: PendingEvent, mayMerge: boolean): void {
    const merged = mayMerge && event.merge ? this.#mergedWithLast(event, event.merge) : undefined;
    if (merged) {
      this.#events[this.#events.length - 1] = merged;
      this.#merged++;
    } else {
      this.#events.push(event);
    }
  }

  seal(): PlannedStream {
    let index = this.state.head;
    const events = this.#events.map(
      ({ payload, at, json }) => new RecordedEvent(++index, at, json ?? encodePayload(payload).json),
    );
    return { stream: this.stream, state: this.state, events, merged: this.#merged };
  }

  #mergedWithLast(event: PendingEvent, merge: Merge): MergedEvent | undefined {
    const last = this.#events.at(-1);
    if (!last || last.bytes + event.bytes > MAX_MERGED_BYTES) return undefined;
    const payload = merge(payloadOf(last.payload), payloadOf(event.payload));
    if (payload === undefined) return undefined;
    return { payload, at: last.at, bytes: last.bytes + event.bytes, json: undefined };
  }
}
