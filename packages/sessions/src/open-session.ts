import {
  IndexConflictError,
  type Journal,
  type Lease,
  type StreamAppend,
  UnknownStreamError,
} from "@parley/journal";
import { type Decision, decide } from "./domain/decide.ts";
import type { SessionCommand } from "./domain/session-command.ts";
import type { SessionEvent } from "./domain/session-event.ts";
import { emptySession, evolve, type RunStatus, type SessionState } from "./domain/session-state.ts";
import { runStream, sessionStream, workspaceStream } from "./session-streams.ts";

const PAGE = 1_000;
/** Other nodes may write to the session at the same time: so often a decision is made anew. */
const ATTEMPTS = 50;

/** Events that a session's list shows something of: whoever keeps a list is told of these. */
const LISTED = new Set<SessionEvent["type"]>([
  "session_created",
  "session_renamed",
  "agent_switched",
  "user_message",
  "agent_start",
  "approval_requested",
  "approval_answered",
  "agent_complete",
  "agent_cancelled",
  "session_forked",
  "session_archived",
  "session_restored",
  "session_deleted",
]);

/** A fact for those who keep a list of sessions: look at this one again. */
export interface WorkspaceEvent {
  readonly sessionId: string;
  readonly change: "created" | "updated" | "deleted";
}

/** What a command led to. */
export interface Carried {
  readonly state: SessionState;
  readonly child?: SessionState;
}

/** The run has ended, or there is none: nothing more is recorded of it. */
export class RunEndedError extends Error {
  readonly status: RunStatus | undefined;
  constructor(runId: string, status: RunStatus | undefined) {
    super(`Nothing more is recorded of run ${runId}: ${status ?? "there is no such run"}`);
    this.status = status;
  }
}

/** One session in this process: what it is made of, and the one way to add to it. */
export class OpenSession {
  readonly #journal: Journal;
  readonly #id: string;
  #state: SessionState;
  #last: Promise<unknown> = Promise.resolve();

  constructor(journal: Journal, id: string) {
    this.#journal = journal;
    this.#id = id;
    this.#state = emptySession(id);
  }

  /** The session with all that is committed. */
  current(): Promise<SessionState> {
    return this.#inTurn(() => this.#catchUp());
  }

  /** Decides the command on the session as it is, and records what follows; `key` marks its first event. */
  carryOut(command: SessionCommand, key?: string): Promise<Carried> {
    return this.#inTurn(async () => {
      for (let attempt = 1; ; attempt++) {
        const state = await this.#catchUp();
        const at = await this.#past(command);
        const decision = decide(state, command, () => at ?? state);
        try {
          return await this.#record(state, decision, key);
        } catch (error) {
          if (!(error instanceof IndexConflictError) || attempt >= ATTEMPTS) throw error;
        }
      }
    });
  }

  /**
   * Records what a run brings, with what its agent sent for it (at least one frame), as long as the lease on the run
   * holds and the run has not ended: whichever end is recorded first stands (invariant 12). Events that depend on the
   * session are asked for with the session as it is then.
   */
  append(
    lease: Lease,
    runId: string,
    events: readonly SessionEvent[] | ((state: SessionState) => readonly SessionEvent[]),
    frames: readonly [unknown, ...unknown[]],
  ): Promise<SessionState> {
    return this.#inTurn(async () => {
      for (let attempt = 1; ; attempt++) {
        // What this process has seen is nearly always all there is; the expected index tells when it is not.
        const state = attempt === 1 && this.#state.index > 0 ? this.#state : await this.#catchUp();
        const status = state.runs.get(runId)?.status;
        if (status !== "running" && status !== "waiting") throw new RunEndedError(runId, status);
        try {
          return await this.#brought(state, typeof events === "function" ? events(state) : events, {
            stream: runStream(runId),
            events: frames,
            epoch: lease.epoch,
          });
        } catch (error) {
          if (!(error instanceof IndexConflictError) || attempt >= ATTEMPTS) throw error;
        }
      }
    });
  }

  async #brought(
    state: SessionState,
    events: readonly SessionEvent[],
    frames: StreamAppend,
  ): Promise<SessionState> {
    const own = { stream: sessionStream(this.#id), events, expected: state.index };
    const urgent = events.some(({ type }) => LISTED.has(type));
    await this.#journal.appendAll(
      [frames, ...(events.length > 0 ? [own] : []), ...this.#news(state, events)],
      {
        urgent,
      },
    );
    // The journal refuses what JSON would change, so these are the very events that others read.
    this.#state = events.reduce(evolve, state);
    return this.#state;
  }

  async #record(state: SessionState, { events, child }: Decision, key: string | undefined): Promise<Carried> {
    if (events.length === 0) return { state };
    const marked = key === undefined ? events : [{ ...events[0], key }, ...events.slice(1)];
    const after = events.reduce(evolve, state);
    const childState = child?.events.reduce(evolve, emptySession(child.id));
    await this.#journal.appendAll(
      [
        { stream: sessionStream(this.#id), events: marked, expected: state.index },
        ...(child ? [{ stream: sessionStream(child.id), events: child.events, expected: 0 }] : []),
        ...this.#news(after, [...events, ...(child?.events ?? [])], child?.id),
      ],
      { urgent: true },
    );
    return { state: await this.#catchUp(), ...(childState && { child: childState }) };
  }

  #news({ workspace }: SessionState, events: readonly SessionEvent[], childId?: string) {
    if (workspace === "" || !events.some(({ type }) => LISTED.has(type))) return [];
    const has = (type: SessionEvent["type"]) => events.some((event) => event.type === type);
    const change = has("session_deleted")
      ? "deleted"
      : has("session_created") && !childId
        ? "created"
        : "updated";
    const told: WorkspaceEvent[] = [{ sessionId: this.#id, change }];
    if (childId !== undefined) told.push({ sessionId: childId, change: "created" });
    return [{ stream: workspaceStream(workspace), events: told }];
  }

  async #past(command: SessionCommand): Promise<SessionState | undefined> {
    if (command.type !== "fork" || !("eventIndex" in command.at)) return undefined;
    return sessionAt(this.#journal, this.#id, command.at.eventIndex);
  }

  async #catchUp(): Promise<SessionState> {
    this.#state = await advanced(this.#journal, this.#state, Number.POSITIVE_INFINITY);
    return this.#state;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** The session as it was when it had so many events (+3). */
export function sessionAt(journal: Journal, sessionId: string, eventIndex: number): Promise<SessionState> {
  return advanced(journal, emptySession(sessionId), eventIndex);
}

async function advanced(journal: Journal, from: SessionState, until: number): Promise<SessionState> {
  let state = from;
  while (state.index < until) {
    const limit = Math.min(PAGE, until - state.index);
    const events = await journal
      .read<SessionEvent>(sessionStream(state.id), state.index, limit)
      .catch((error: unknown) => {
        if (error instanceof UnknownStreamError) return [];
        throw error;
      });
    if (events.length === 0) break;
    for (const { payload } of events) state = evolve(state, payload);
  }
  return state;
}
