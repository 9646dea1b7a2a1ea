import type { Journal } from "@parley/journal";
import {
  CommandRefusedError,
  emptySession,
  evolve,
  type Principal,
  type SessionEvent,
  type StoredFile,
  sessionEvent,
  sessionStream,
  type WorkspaceEvent,
  workspaceStream,
} from "@parley/sessions";
import { z } from "zod";
import type { Files } from "./api-ports.ts";
import { invalid, problemOf } from "./problem.ts";

const exportedEvent = z.object({ type: z.string(), payload: z.record(z.string(), z.unknown()) });
const IMPORTED = "It was imported while it ran";

/** Takes sessions in that were exported before, here or elsewhere. */
export class SessionImport {
  readonly #journal: Journal;
  readonly #files: Files;

  constructor(journal: Journal, files: Files) {
    this.#journal = journal;
    this.#files = files;
  }

  /** Records the lines of an export as a new session of the principal's; the same id again is the same import. */
  async adopt(principal: Principal, sessionId: string, lines: string): Promise<void> {
    const events = (await this.#own(principal, parsed(lines))).map((event) => withOwnRun(event, sessionId));
    const state = events.reduce(evolve, emptySession(sessionId));
    for (const { id, status } of state.runs.values()) {
      if (status === "running" || status === "waiting")
        events.push({ type: "agent_cancelled", runId: id, content: "", reason: IMPORTED });
    }
    const told: WorkspaceEvent[] = [{ sessionId, change: "created", after: 0 }];
    await this.#journal.appendAll(
      [
        { stream: sessionStream(sessionId), events, expected: 0 },
        { stream: workspaceStream(principal.workspace), events: told },
      ],
      { urgent: true },
    );
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
        events.push(event);
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
