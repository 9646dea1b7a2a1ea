import { setImmediate as immediate } from "node:timers/promises";
import {
  IndexConflictError,
  type Journal,
  type Lease,
  Mutex,
  type StreamAppend,
  UnknownStreamError,
} from "@parley/journal";
import { decide } from "./domain/decide.ts";
import { CommandRefusedError, type Principal, type SessionCommand } from "./domain/session-command.ts";
import type { Decision, SessionEvent } from "./domain/session-event.ts";
import { LISTED } from "./domain/session-event.ts";
import {
  emptySession,
  evolveAll,
  isEnded,
  type RunStatus,
  type SessionState,
} from "./domain/session-state.ts";
import { type Addition, additionOf } from "./records/addition.ts";
import type { RecordedKey, RequestKey } from "./records/idempotency-keys.ts";
import { runStream, sessionStream, workspaceStream } from "./session-streams.ts";

const PAGE = 1_000;
/** How often a command is decided again because another node wrote to the session first. */
const ATTEMPTS = 50;

/** Tells clients that keep a list of sessions that this one changed. */
export interface WorkspaceEvent {
  readonly sessionId: string;
  readonly change: "created" | "updated" | "deleted";
  /** How many events the session had before, at least. */
  readonly after: number;
}

export interface Carried {
  readonly state: SessionState;
  readonly events: readonly SessionEvent[];
  /** The forks that it made, and what they begin with. */
  readonly children: readonly { readonly state: SessionState; readonly events: readonly SessionEvent[] }[];
}

/** What is recorded in the same unit as the events of a command. */
export interface CommandUnit {
  /** Marks the first event. */
  readonly key?: RequestKey | undefined;
  /** Events of other streams. */
  readonly noted?: readonly StreamAppend[] | undefined;
  /** Checks the quotas before anything is recorded; its result is disposed of afterwards. */
  readonly admit?: ((addition: Addition) => Promise<Disposable> | undefined) | undefined;
}

/** The run has ended, on whichever node, or does not exist: nothing is recorded, and its executor should stop. */
export class RunEndedError extends Error {
  override readonly name = "RunEndedError";
  readonly status: RunStatus | undefined;
  constructor(runId: string, status: RunStatus | undefined) {
    super(`Nothing more is recorded of run ${runId}: ${status ?? "there is no such run"}`);
    this.status = status;
  }
}

/** One session in this process: its state, and the one way to add to it. */
export class OpenSession {
  readonly #journal: Journal;
  readonly #id: string;
  #state: SessionState;
  readonly #mutex = new Mutex();

  constructor(journal: Journal, id: string) {
    this.#journal = journal;
    this.#id = id;
    this.#state = emptySession(id);
  }

  current(): Promise<SessionState> {
    return this.#mutex.run(() => this.#catchUp());
  }

  /** Decides the command on the current session, and records the resulting events with the rest of the unit. */
  carryOut(command: SessionCommand, unit: CommandUnit = {}): Promise<Carried> {
    return this.#mutex.run(() =>
      this.#untilUncontested(async () => {
        const state = await this.#catchUp();
        const at = await this.#past(command);
        return this.#record(
          state,
          decide(state, command, () => at ?? state),
          unit,
        );
      }),
    );
  }

  /** Records a session that happened elsewhere, all of it at once; `IndexConflictError` where there is one already. */
  adopt(
    { owner, workspace }: Principal,
    events: readonly SessionEvent[],
    { key, noted = [] }: Pick<CommandUnit, "key" | "noted">,
  ): Promise<SessionState> {
    return this.#mutex.run(async () => {
      const [first, ...rest] = events;
      if (first?.type !== "session_created")
        throw new CommandRefusedError("invalid", "A session must begin with session_created");
      const created = { ...first, owner, workspace };
      const own = withKey({ events: [created, ...rest] }, key);
      await this.#journal.appendAll(
        [
          { stream: sessionStream(this.#id), events: own, expected: 0 },
          ...this.#workspaceEvents({ workspace, index: 0 }, [created]),
          ...noted,
        ],
        { urgent: true },
      );
      this.#state = await sessionAt(this.#journal, this.#id, events.length);
      return this.#state;
    });
  }

  /**
   * Records what a run brings, with what its agent sent for it (at least one frame), as long as the lease on the run
   * holds and the run has not ended, else `RunEndedError`: of a cancel and a completion one wins (invariant 12).
   * Events that depend on the session are asked for with the session as it is then.
   */
  append(
    lease: Lease,
    runId: string,
    events: readonly SessionEvent[] | ((state: SessionState) => readonly SessionEvent[]),
    frames: readonly [unknown, ...unknown[]],
  ): Promise<SessionState> {
    return this.#mutex.run(() =>
      this.#untilUncontested(async () => {
        // What this process remembers is enough: if it is stale, the append is refused and tried again.
        const known = this.#state.runs.get(runId);
        const state = known ? this.#state : await this.#catchUp();
        const run = state.runs.get(runId);
        if (!run || isEnded(run)) throw new RunEndedError(runId, run?.status);
        const brought = typeof events === "function" ? events(state) : events;
        const own = { stream: sessionStream(this.#id), events: brought, expected: state.index };
        await this.#journal.appendAll(
          [
            { stream: runStream(runId), events: frames, epoch: lease.epoch },
            ...(brought.length > 0 ? [own] : []),
            ...this.#workspaceEvents(state, brought),
          ],
          { urgent: brought.some(({ type }) => LISTED.has(type)) },
        );
        this.#state = evolveAll(state, brought);
        return this.#state;
      }),
    );
  }

  async #record(state: SessionState, decision: Decision, unit: CommandUnit): Promise<Carried> {
    const { events, children = [] } = decision;
    const { key, noted = [], admit } = unit;
    if (events.length === 0) return { state, events, children: [] };
    using _ = await admit?.(additionOf(state, decision));
    const after = evolveAll(state, events);
    await this.#journal.appendAll(
      [
        { stream: sessionStream(this.#id), events: withKey(decision, key), expected: state.index },
        ...children.map((child) => ({ stream: sessionStream(child.id), events: child.events, expected: 0 })),
        ...this.#workspaceEvents({ ...after, index: state.index }, events, children),
        ...noted,
      ],
      { urgent: true },
    );
    this.#state = after;
    const forks = children.map((child) => ({
      state: evolveAll(emptySession(child.id), child.events),
      events: child.events,
    }));
    return { state: after, events, children: forks };
  }

  /** Does the work again on the new state whenever another writer was faster. */
  async #untilUncontested<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof IndexConflictError) || attempt >= ATTEMPTS) throw error;
        const before = this.#state.index;
        const { index } = await this.#catchUp();
        // Nothing was added here, so the conflict is about the id of a fork.
        if (index === before)
          throw new CommandRefusedError("conflict", "The fork's id is taken: choose another");
      }
    }
  }

  /** The events for clients that keep a list of the workspace's sessions. */
  #workspaceEvents(
    { workspace, index }: Pick<SessionState, "workspace" | "index">,
    events: readonly SessionEvent[],
    children: readonly { readonly id: string }[] = [],
  ) {
    if (workspace === "" || !events.some(({ type }) => LISTED.has(type))) return [];
    const has = (type: SessionEvent["type"]) => events.some((event) => event.type === type);
    const change = has("session_deleted") ? "deleted" : has("session_created") ? "created" : "updated";
    const told: WorkspaceEvent[] = [
      { sessionId: this.#id, change, after: index },
      ...children.map(({ id }) => ({ sessionId: id, change: "created" as const, after: 0 })),
    ];
    return [{ stream: workspaceStream(workspace), events: told }];
  }

  async #past(command: SessionCommand): Promise<SessionState | undefined> {
    if (command.type !== "fork" || command.at === "end" || !("eventIndex" in command.at)) return undefined;
    return sessionAt(this.#journal, this.#id, command.at.eventIndex);
  }

  async #catchUp(): Promise<SessionState> {
    this.#state = await advanced(this.#journal, this.#state, Number.POSITIVE_INFINITY);
    return this.#state;
  }
}

/** The session as it was when it had so many events (+3). */
export function sessionAt(journal: Journal, sessionId: string, eventIndex: number): Promise<SessionState> {
  return advanced(journal, emptySession(sessionId), eventIndex);
}

function withKey({ events, children = [] }: Decision, key: RequestKey | undefined): readonly unknown[] {
  if (!key) return events;
  const recorded: RecordedKey = {
    ...key,
    events: events.length,
    children: children.map((child) => ({ id: child.id, events: child.events.length })),
  };
  return [{ ...events[0], key: recorded }, ...events.slice(1)];
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
    state = evolveAll(
      state,
      events.map(({ payload }) => payload),
    );
    // A storage in this process answers at once: this lets the event loop turn in between.
    if (events.length === limit) await immediate();
  }
  return state;
}
