import { IndexConflictError } from "@parley/journal";
import {
  CommandRefusedError,
  type Executed,
  type ExecuteOptions,
  emptySession,
  evolve,
  isEnded,
  type Principal,
  type SessionEvent,
  type Sessions,
  type StoredFile,
  sessionEvent,
} from "@parley/sessions";
import { z } from "zod";
import type { Files } from "./api-ports.ts";
import { withKeptFiles } from "./files/carried-files.ts";
import { invalid, problemOf } from "./problem.ts";

const exportedEvent = z.object({ type: z.string(), payload: z.record(z.string(), z.unknown()) });
const IMPORTED = "It was imported while it ran";

/** An export, and the id that it gets here. */
export interface ImportRequest extends ExecuteOptions {
  readonly id: string;
  readonly lines: string;
}

/** Takes sessions in that were exported before, here or elsewhere. */
export class SessionImport {
  readonly #sessions: Sessions;
  readonly #files: Files;

  constructor(sessions: Sessions, files: Files) {
    this.#sessions = sessions;
    this.#files = files;
  }

  /** Records the lines of an export as a new session of the principal's; under the same key it is the same import. */
  async adopt(principal: Principal, { id, lines, ...options }: ImportRequest): Promise<Executed> {
    const events = (await this.#own(principal, parsed(lines))).map((event) => withOwnRun(event, id));
    const state = events.reduce(evolve, emptySession(id));
    for (const run of state.runs.values()) {
      if (!isEnded(run))
        events.push({ type: "agent_cancelled", runId: run.id, content: "", reason: IMPORTED });
    }
    try {
      return await this.#sessions.adopt(principal, id, events, options);
    } catch (error) {
      if (!(error instanceof IndexConflictError)) throw error;
      throw new CommandRefusedError("conflict", `There is a session ${id} already: choose another id`);
    }
  }

  /** What an import says of owners, other sessions and files is true here only where these are the principal's. */
  async #own(principal: Principal, [first, ...rest]: readonly SessionEvent[]): Promise<SessionEvent[]> {
    if (first?.type !== "session_created") throw invalid("body.content", "must begin with session_created");
    const { parent: _, contextId: __, ...created } = first;
    const events: SessionEvent[] = [{ ...created, ...principal }];
    for (const event of rest) {
      if (
        event.type === "session_created" ||
        event.type === "session_deleted" ||
        event.type === "session_forked"
      )
        continue;
      if (event.type !== "user_message") {
        events.push(await withKeptFiles(this.#files, principal, event));
        continue;
      }
      const { files = [], ...message } = event;
      const own = await Promise.all(files.map((file) => this.#ownFile(principal, file)));
      const known = own.filter((file) => file !== undefined);
      events.push({ ...message, ...(known.length > 0 && { files: known }) });
    }
    return events;
  }

  async #ownFile(principal: Principal, { blob }: StoredFile): Promise<StoredFile | undefined> {
    try {
      return await this.#files.describe(principal, blob);
    } catch (error) {
      if (problemOf(error)?.code === "not_found") return undefined;
      throw error;
    }
  }
}

function parsed(lines: string): SessionEvent[] {
  const events = lines
    .split("\n")
    .map((line, position) => ({ line: line.trim(), position }))
    .filter(({ line }) => line !== "")
    .map(({ line, position }) => eventIn(line, position + 1));
  if (events.length === 0) throw new CommandRefusedError("invalid", "The import has no events");
  return events;
}

function eventIn(line: string, number: number): SessionEvent {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw invalid("body.content", `line ${number} is not JSON`);
  }
  const exported = exportedEvent.safeParse(json);
  const event =
    exported.data && sessionEvent.safeParse({ ...exported.data.payload, type: exported.data.type });
  if (!event?.success) throw invalid("body.content", `line ${number} is not an event of a session`);
  return event.data;
}

// A run is of one session: what was imported is another one, though it says the same.
function withOwnRun(event: SessionEvent, sessionId: string): SessionEvent {
  if (!("runId" in event) || event.runId === undefined) return event;
  const retryOf =
    "retryOf" in event && event.retryOf !== undefined ? { retryOf: own(sessionId, event.retryOf) } : {};
  return { ...event, runId: own(sessionId, event.runId), ...retryOf };
}

function own(sessionId: string, runId: string): string {
  return `${sessionId}/${runId}`.slice(-150);
}
