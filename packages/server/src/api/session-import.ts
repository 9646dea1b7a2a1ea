import { createHash } from "node:crypto";
import { setImmediate as immediate } from "node:timers/promises";
import { invalid, Problem, unless } from "@parley/adapters";
import { IndexConflictError } from "@parley/journal";
import {
  CommandRefusedError,
  type Executed,
  type ExecuteOptions,
  MAX_MESSAGE_FILES,
  type Principal,
  type SessionEvent,
  type SessionEventType,
  type Sessions,
} from "@parley/sessions";
import { z } from "zod";
import type { Files } from "./api-ports.ts";
import { withStoredFiles } from "./files/carried-files.ts";
import { importableEvent } from "./importable-events.ts";

const exportedEvent = z.object({ type: z.string(), payload: z.record(z.string(), z.unknown()) });
const IMPORTED = "Imported while it was running";
const MAX_ID_LENGTH = 150;
const MAX_EVENTS = 20_000;
const LINES_AT_ONCE = 500;
/** Events about other sessions or about deletion, which do not hold for the new session. */
const DROPPED: ReadonlySet<SessionEventType> = new Set(["session_deleted", "session_forked", "edit", "fork"]);

/** An export and the id of the new session. */
export interface ImportRequest extends ExecuteOptions {
  readonly id: string;
  readonly lines: string;
}

/** Imports sessions that were exported here or elsewhere. */
export class SessionImport {
  readonly #sessions: Sessions;
  readonly #files: Files;

  constructor(sessions: Sessions, files: Files) {
    this.#sessions = sessions;
    this.#files = files;
  }

  /** Records the lines of an export as a new session of the principal, once per idempotency key. */
  async adopt(principal: Principal, { id, lines, ...options }: ImportRequest): Promise<Executed> {
    const events = (await this.#adapted(principal, await parsed(lines))).map((event) =>
      withOwnIds(event, id),
    );
    try {
      return await this.#sessions.adopt(principal, id, events, options);
    } catch (error) {
      if (!(error instanceof IndexConflictError)) throw error;
      throw new CommandRefusedError("conflict", `There already is a session ${id}; choose another id`);
    }
  }

  /** The events with the principal as owner, without other sessions, and with only those files that the principal has. */
  async #adapted(principal: Principal, [first, ...rest]: readonly SessionEvent[]): Promise<SessionEvent[]> {
    if (first?.type !== "session_created") throw new Error("An import must begin with session_created");
    const { parent: _, contextId: __, ...created } = first;
    const events: SessionEvent[] = [{ ...created, ...principal }];
    for (const event of rest) {
      if (DROPPED.has(event.type)) continue;
      if (event.type !== "user_message") {
        events.push(await withStoredFiles(this.#files, principal, event));
        continue;
      }
      const { files = [], ...message } = event;
      const named = new Set(files.map(({ blob }) => blob));
      if (named.size > MAX_MESSAGE_FILES)
        throw invalid("body.content", `a message may have at most ${MAX_MESSAGE_FILES} files`, "too_large");
      const own = await Promise.all(
        [...named].map((blob) => unless("not_found", this.#files.describe(principal, blob))),
      );
      const known = own.filter((file) => file !== undefined);
      events.push({ ...message, ...(known.length > 0 && { files: known }) });
    }
    return events;
  }
}

async function parsed(lines: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  const runs = new ImportedRuns();
  for (const [position, line] of lines.split("\n").entries()) {
    // Lets other requests run in between.
    if (position % LINES_AT_ONCE === 0) await immediate();
    if (line.trim() === "") continue;
    const event = eventIn(line, position + 1);
    const isFirst = event.type === "session_created";
    if (isFirst !== (events.length === 0))
      throw invalid(
        "body.content",
        `line ${position + 1}: ${event.type} ${isFirst ? "must be the first event" : "must follow session_created"}`,
      );
    const issue = runs.issueWith(event);
    if (issue !== undefined) throw invalid("body.content", `line ${position + 1}: ${event.type} ${issue}`);
    if (events.push(event) > MAX_EVENTS)
      throw new Problem("too_large", `An import may have at most ${MAX_EVENTS} events`);
  }
  if (events.length === 0) throw new CommandRefusedError("invalid", "The import has no events");
  const { active: runId } = runs;
  if (runId !== undefined) events.push({ type: "agent_cancelled", runId, content: "", reason: IMPORTED });
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
  if (!exported.success) throw invalid("body.content", `line ${number} is not a session event`);
  const event = importableEvent(exported.data.type, exported.data.payload);
  if (typeof event === "string") throw invalid("body.content", `line ${number}: ${event} cannot be imported`);
  return event;
}

/** Checks the runs of an import: one after the other, each started before its other events. */
class ImportedRuns {
  readonly #started = new Set<string>();
  /** The run that has started and not ended. */
  active: string | undefined;

  /** Why the event cannot follow those before it. */
  issueWith(event: SessionEvent): string | undefined {
    // The messages of a fork name runs of its parent.
    if (!("runId" in event) || event.type === "agent_message" || event.type === "agent_artifact")
      return undefined;
    const { type, runId } = event;
    if (runId === undefined) return undefined;
    if (type !== "agent_start") {
      if ((type === "agent_complete" || type === "agent_cancelled") && runId === this.active)
        this.active = undefined;
      return this.#started.has(runId) ? undefined : `belongs to run ${runId}, which has not started`;
    }
    if (this.#started.has(runId)) return `starts run ${runId} a second time`;
    if (this.active !== undefined) return "starts a run while another is active";
    this.#started.add(runId);
    this.active = runId;
    return undefined;
  }
}

/** Gives imported runs and edits ids of their own: run ids are unique across sessions. */
function withOwnIds(event: SessionEvent, sessionId: string): SessionEvent {
  if (event.type === "user_message" && event.editHistory) {
    const { editHistory, ...message } = event;
    const edits = editHistory.map((edit) => ({ ...edit, sessionId: ownId(sessionId, edit.sessionId) }));
    return { ...withOwnIds(message, sessionId), editHistory: edits } as SessionEvent;
  }
  if (!("runId" in event) || event.runId === undefined) return event;
  const runId = ownId(sessionId, event.runId);
  if (event.type !== "agent_start") return { ...event, runId };
  const { retryOf, contextId } = event;
  const repeated = retryOf === undefined ? {} : { retryOf: ownId(sessionId, retryOf) };
  return { ...event, runId, contextId: ownId(sessionId, contextId), ...repeated };
}

function ownId(sessionId: string, name: string): string {
  const named = `${sessionId}/${name}`;
  if (named.length <= MAX_ID_LENGTH) return named;
  return `${sessionId}/${createHash("sha256").update(name).digest("base64url")}`;
}
