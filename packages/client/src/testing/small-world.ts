import { ApiError, failureOf, unreachable } from "../api/api-error.ts";
import type { QueuedCommand } from "../sync/command.ts";
import { reduce } from "../sync/reduce.ts";
import type { SessionRecord } from "../sync/session-record.ts";
import type { Effect, KeptList, SyncEvent } from "../sync/sync-event.ts";
import { INITIAL_STATE, type SyncState } from "../sync/sync-state.ts";
import { frozen } from "./frozen.ts";
import { type Line, SmallRecord } from "./small-record.ts";

type Work = Extract<Effect, { type: "readList" | "readChanges" | "readSession" | "send" | "rest" }>;

interface Request {
  readonly effect: Work;
  /** What the server answered, once it has. */
  answer?: SyncEvent | undefined;
}

/** A server, a client's state machine and a network between them, in which each step is taken when a test says so. */
export class SmallWorld {
  readonly server = new SmallRecord();
  readonly requests: Request[] = [];
  readonly #commands = new Map<string, QueuedCommand>();
  readonly #sessions = new Map<string, SessionRecord>();
  #list: KeptList | undefined;
  state: SyncState = INITIAL_STATE;
  /** The position of the feed in the server's order of everything; undefined: it is not connected. */
  feedAt: number | undefined;
  /** Where the feed would resume. */
  cursor: number | undefined;

  constructor() {
    this.hear({ type: "loaded", commands: [] });
  }

  hear(event: SyncEvent): void {
    const { state, effects } = reduce(this.state, event);
    // Whoever changed it afterwards would fail.
    this.state = frozen(state);
    for (const effect of effects) this.#run(effect);
  }

  /** The request arrives, and the answer is on its way. */
  serve(at: number): void {
    const request = this.requests[at];
    if (request && !request.answer) request.answer = this.#answer(request.effect);
  }

  /** The answer arrives. */
  deliver(at: number): void {
    const request = this.requests[at];
    if (!request?.answer) return;
    this.requests.splice(at, 1);
    this.hear(request.answer);
  }

  /** The connection breaks, before or after the request arrived. */
  lose(at: number): void {
    const request = this.requests[at];
    if (!request || request.effect.type === "rest") return;
    this.requests.splice(at, 1);
    const event = failed(request.effect, unreachable("cut"));
    if (event) this.hear(event);
  }

  connect(isResumed: boolean): void {
    if (this.feedAt !== undefined || this.state.connection === "offline") return;
    const canResume = isResumed && this.cursor !== undefined;
    this.feedAt = canResume ? this.cursor : this.server.lines.length;
    this.cursor = this.feedAt;
    this.hear({ type: "feedOpened", isResumed: canResume, places: {} });
  }

  disconnect(): void {
    if (this.feedAt === undefined) return;
    this.feedAt = undefined;
    this.hear({ type: "feedClosed" });
  }

  /** The next line of the feed comes, or is left out. */
  feed(isSkipped = false): boolean {
    const line = this.feedAt === undefined ? undefined : this.server.lines[this.feedAt];
    if (!line || this.feedAt === undefined) return false;
    this.cursor = ++this.feedAt;
    if (!isSkipped) this.hear(eventOf(line));
    return true;
  }

  /** A line that came before comes again. */
  repeat(at: number): void {
    const line = this.server.lines[at % Math.max(1, this.feedAt ?? 0)];
    if (line && this.feedAt) this.hear(eventOf(line));
  }

  goOffline(): void {
    this.disconnect();
    this.hear({ type: "offline" });
  }

  /** The page is closed and opened again: requests may still arrive, nobody waits for their answers. */
  reload(arrives: (request: number) => boolean): void {
    for (const [at, { effect }] of this.requests.entries())
      if (effect.type === "send" && arrives(at)) this.serve(at);
    this.requests.length = 0;
    const { current } = this.state;
    this.state = INITIAL_STATE;
    this.feedAt = undefined;
    this.cursor = undefined;
    const commands = [...this.#commands.values()].reverse();
    this.hear({
      type: "loaded",
      commands: structuredClone(commands),
      ...(this.#list && { list: this.#list }),
    });
    if (current !== undefined) this.open(current);
  }

  open(sessionId: string): void {
    const record = this.#sessions.get(sessionId);
    this.hear({ type: "opened", sessionId, ...(record && { record: structuredClone(record) }) });
  }

  /** Everything arrives, until nothing happens any more; for a while the server goes on between an answer and its arrival. */
  settle(goesOn: () => void): void {
    this.hear({ type: "online" });
    for (let turn = 0; turn < 5_000; turn++) {
      this.connect(true);
      for (const at of this.requests.keys()) this.serve(at);
      if (turn < 20) goesOn();
      if (this.feed()) continue;
      if (this.requests.length === 0) return;
      this.deliver(0);
    }
    throw new Error("It does not come to rest");
  }

  #run(effect: Effect): void {
    switch (effect.type) {
      case "keepCommand":
        this.#commands.set(effect.command.key, effect.command);
        break;
      case "dropCommand":
        this.#commands.delete(effect.key);
        break;
      case "keepSession":
        this.#sessions.set(effect.record.id, effect.record);
        break;
      case "dropSession":
        this.#sessions.delete(effect.sessionId);
        break;
      case "dropSessions":
        this.#sessions.clear();
        break;
      case "keepList":
        this.#list = effect.list;
        break;
      default:
        this.requests.push({ effect });
    }
  }

  #answer(effect: Work): SyncEvent | undefined {
    try {
      switch (effect.type) {
        case "readList":
          return { type: "listed", sessions: Object.values(this.server.rows()) };
        case "readChanges": {
          const changes = this.server.changes(Number(effect.since), 7);
          return { type: "changesRead", request: effect.request, changes };
        }
        case "readSession": {
          const { sessionId, request, since } = effect;
          return {
            type: "sessionRead",
            sessionId,
            request,
            reading: this.server.reading(sessionId, since, 5),
          };
        }
        case "send":
          this.server.execute(effect.command, effect.key);
          return { type: "acknowledged", key: effect.key };
        case "rest":
          return { type: "rested", of: effect.of };
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return failed(effect, error);
    }
  }
}

function failed(effect: Work, error: ApiError): SyncEvent | undefined {
  const failure = failureOf(error);
  switch (effect.type) {
    case "send":
      return { type: "failed", key: effect.key, failure };
    case "readSession":
      return { type: "sessionFailed", sessionId: effect.sessionId, request: effect.request, failure };
    case "readChanges":
      return { type: "changesFailed", request: effect.request, failure };
    case "readList":
    case "rest":
      return undefined;
  }
}

function eventOf(line: Line): SyncEvent {
  return line.type === "event" ? { type: "eventHeard", event: line.event } : { type: "listChanged" };
}
