import { IndexConflictError, type Journal, type Lease, UnknownStreamError } from "@parley/journal";
import { type Decision, decide } from "./domain/decide.ts";
import { CommandRefusedError, type SessionCommand } from "./domain/session-command.ts";
import type { SessionEvent } from "./domain/session-event.ts";
import { emptySession, evolve, type SessionState } from "./domain/session-state.ts";
import { runStream, sessionStream, workspaceStream } from "./session-streams.ts";

const PAGE = 1_000;
/** Other nodes may write to the session at the same time: so often a decision is made anew. */
const ATTEMPTS = 50;

/** Events that a session's list shows something of: whoever keeps a list is told of these. */
const LISTED = new Set<SessionEvent["type"]>([
  "session_created",
  "session_renamed",
  "agent_switched",
  "config_changed",
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
  /** How many events the session had before, at least. */
  readonly after: number;
}

/** What a command led to. */
export interface Carried {
  readonly state: SessionState;
  readonly child?: SessionState;
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
          // Another decision would meet the same: a fork needs an id that nobody has.
          if (decision.child && (await this.#isTaken(decision.child.id)))
            throw new CommandRefusedError("conflict", `There is a session ${decision.child.id} already`);
        }
      }
    });
  }

  /** Records what a run brings, with what its agent sent for it (at least one frame), as long as the lease on the run holds. */
  append(
    lease: Lease,
    runId: string,
    events: readonly SessionEvent[],
    frames: readonly [unknown, ...unknown[]],
  ): Promise<SessionState> {
    return this.#inTurn(async () => {
      const state = await this.#catchUp();
      const urgent = events.some(({ type }) => LISTED.has(type));
      const appends = [
        { stream: runStream(runId), events: frames, epoch: lease.epoch },
        { stream: sessionStream(this.#id), events },
        ...this.#news(state, events),
      ];
      await this.#journal.appendAll(appends, { urgent });
      return this.#catchUp();
    });
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
        ...this.#news({ ...after, index: state.index }, [...events, ...(child?.events ?? [])], child?.id),
      ],
      { urgent: true },
    );
    return { state: await this.#catchUp(), ...(childState && { child: childState }) };
  }

  #news({ workspace, index }: SessionState, events: readonly SessionEvent[], childId?: string) {
    if (workspace === "" || !events.some(({ type }) => LISTED.has(type))) return [];
    const has = (type: SessionEvent["type"]) => events.some((event) => event.type === type);
    const change = has("session_deleted")
      ? "deleted"
      : has("session_created") && !childId
        ? "created"
        : "updated";
    const told: WorkspaceEvent[] = [{ sessionId: this.#id, change, after: index }];
    if (childId !== undefined) told.push({ sessionId: childId, change: "created", after: 0 });
    return [{ stream: workspaceStream(workspace), events: told }];
  }

  async #isTaken(childId: string): Promise<boolean> {
    return (await sessionAt(this.#journal, childId, 1)).index > 0;
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
