import { ApiError } from "../api/api-error.ts";
import type { Session, SessionChanges, SessionReading } from "../api/api-types.ts";
import type { DomainEvent, DomainEventType, EventPayloads } from "../api/domain-event.ts";
import type { Command } from "../sync/command.ts";
import { evolveRecord } from "../sync/evolve-record.ts";
import { activeRunIn, emptyRecord, runOf, type SessionRecord } from "../sync/session-record.ts";

/** One line of the record's order of everything: an event, or that a session changed. */
export type Line =
  | { readonly type: "event"; readonly event: DomainEvent }
  | { readonly type: "changed"; readonly sessionId: string; readonly change: string };

type New = { [Type in DomainEventType]: { type: Type } & EventPayloads[Type] }[DomainEventType];

/** What a server remembers, as little as a client can tell from the whole: events, an order of everything, keys. */
export class SmallRecord {
  readonly lines: Line[] = [];
  readonly #logs = new Map<string, DomainEvent[]>();
  readonly #records = new Map<string, SessionRecord>();
  readonly #keys = new Set<string>();
  readonly #listeners = new Set<() => void>();

  /** Calls the listener after every commit. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  ids(): string[] {
    return [...this.#logs.keys()];
  }

  log(id: string): readonly DomainEvent[] {
    return this.#logs.get(id) ?? [];
  }

  record(id: string): SessionRecord {
    return this.#records.get(id) ?? emptyRecord(id);
  }

  /** Carries a command out, once for each key. */
  execute(command: Command, key: string): void {
    if (this.#keys.has(key)) return;
    const { sessionId } = command;
    if (command.type !== "create" && this.log(sessionId).length === 0) throw refused(404, "not_found");
    const record = this.record(sessionId);
    if (record.status === "deleted" && command.type !== "restore") throw refused(410, "gone");
    for (const [id, events] of this.#decide(record, command)) this.append(id, events);
    this.#keys.add(key);
  }

  append(id: string, events: readonly New[]): void {
    const log = this.#logs.get(id) ?? [];
    const isNew = log.length === 0;
    this.#logs.set(id, log);
    for (const { type, ...payload } of events) {
      const index = log.length + 1;
      const timestamp = new Date(index * 1_000).toISOString();
      const event = {
        id: `evt_${id}_${index}`,
        sessionId: id,
        index,
        type,
        payload,
        timestamp,
      } as DomainEvent;
      log.push(event);
      this.lines.push({ type: "event", event });
      this.#records.set(id, evolveRecord(this.record(id), event));
    }
    this.lines.push({ type: "changed", sessionId: id, change: isNew ? "created" : "updated" });
    for (const listener of this.#listeners) listener();
  }

  /** What an agent does next in a session: a few words, and at the end its message. */
  agentWorks(id: string, words: number, isLast: boolean): void {
    const run = activeRunIn(this.record(id));
    if (!run) return;
    const { id: runId } = run;
    for (let at = 0; at < words; at++)
      this.append(id, [{ type: "agent_token", runId, artifactId: "a", text: `${this.log(id).length} ` }]);
    const content = this.record(id).active[runId]?.texts.a?.text ?? "";
    const end: New = {
      type: "agent_complete",
      runId,
      state: "completed",
      messageId: `${runId}-answer`,
      content,
    };
    if (isLast) this.append(id, [end]);
  }

  reading(id: string, since: number, most = 1_000): SessionReading {
    const record = this.record(id);
    if (record.index === 0) throw refused(404, "not_found");
    if (record.status === "deleted") throw refused(410, "gone");
    const isAhead = since > record.index;
    const events = this.log(id)
      .slice(isAhead ? 0 : since)
      .slice(0, most);
    const last = events.at(-1)?.index ?? record.index;
    return {
      ...{ session: this.row(id), messages: record.messages, events, cursor: "" },
      ...(last < record.index && { next: last }),
      ...(isAhead && { reset: true }),
    };
  }

  changes(since: number, limit: number): SessionChanges {
    if (since > this.lines.length)
      return {
        new: [],
        updated: [],
        deleted: [],
        cursor: String(this.lines.length),
        more: false,
        reset: true,
      };
    const lines = this.lines.slice(since, since + limit);
    const changed = lines.flatMap((line) => (line.type === "changed" ? [line] : []));
    const ids = [...new Set(changed.map(({ sessionId }) => sessionId))];
    const rows = ids.map((id) => this.row(id));
    const isNew = new Set(changed.filter(({ change }) => change === "created").map((line) => line.sessionId));
    const there = rows.filter(({ status }) => status !== "deleted");
    return {
      new: there.filter(({ id }) => isNew.has(id)),
      updated: there.filter(({ id }) => !isNew.has(id)),
      deleted: rows.filter(({ status }) => status === "deleted").map(({ id }) => id),
      cursor: String(since + lines.length),
      more: since + lines.length < this.lines.length,
      reset: false,
    };
  }

  row(id: string): Session {
    const {
      title,
      status,
      index: revision,
      messages,
      agent,
      createdAt = "",
      updatedAt = "",
    } = this.record(id);
    const metadata = { messageCount: messages.length, ...(agent !== undefined && { agent }) };
    return { id, title, status, revision, createdAt, updatedAt, metadata };
  }

  rows(): Record<string, Session> {
    const rows = this.ids().map((id) => this.row(id));
    return Object.fromEntries(rows.filter(({ status }) => status !== "deleted").map((row) => [row.id, row]));
  }

  #decide(record: SessionRecord, command: Command): (readonly [string, readonly New[]])[] {
    const id = record.id;
    switch (command.type) {
      case "create":
        if (record.index > 0) throw refused(409, "conflict");
        return [[id, [{ type: "session_created", title: command.title ?? "" }]]];
      case "send": {
        if (record.messages.some((message) => message.id === command.messageId))
          throw refused(409, "conflict");
        return [[id, this.#asked(record, command.messageId, command.content)]];
      }
      case "edit": {
        const at = record.messages.findIndex((message) => message.id === command.messageId);
        if (at < 0) throw refused(404, "not_found");
        const { childId, content } = command;
        const begin = this.#begin(record, at);
        const child = begin.reduce(
          (before, event) => evolveRecord(before, asEvent(before, event)),
          emptyRecord(childId),
        );
        return [
          [childId, [...begin, ...this.#asked(child, `${childId}-edit`, content)]],
          [id, [{ type: "session_forked", childId, reason: "user_edit", messages: at }]],
        ];
      }
      case "fork": {
        const { childId, messages = record.messages.length } = command;
        return [
          [childId, this.#begin(record, messages)],
          [id, [{ type: "session_forked", childId, reason: "branch", messages }]],
        ];
      }
      case "cancel": {
        const run = runOf(record, command.runId);
        if (!run) throw refused(404, "not_found");
        if (run.completedAt !== undefined) throw refused(409, "conflict");
        const { id: runId } = run;
        return [[id, [{ type: "agent_cancelled", runId, content: "", reason: "cancelled" }]]];
      }
      case "change":
        return [[id, [{ type: "session_renamed", title: command.title ?? "", by: "user" }]]];
      case "delete":
        return [[id, [{ type: "session_deleted", until: "later" }]]];
      case "restore":
        return [[id, [{ type: "session_restored" }]]];
      case "retry":
      case "answer":
        throw refused(422, "invalid");
    }
  }

  #begin({ messages, title }: SessionRecord, kept: number): New[] {
    const copies = messages.slice(0, kept).map(({ id: messageId, role, content }): New => {
      const message = { messageId, content };
      return role === "user"
        ? { type: "user_message", ...message }
        : { type: "agent_message", ...message, runId: "r" };
    });
    return [{ type: "session_created", title }, ...copies];
  }

  #asked(record: SessionRecord, messageId: string, content: string): New[] {
    const message: New = { type: "user_message", messageId, content };
    if (activeRunIn(record)) return [message];
    const run = {
      runId: `run-${messageId}`,
      agent: "a",
      agentUrl: "u",
      contextId: "c",
      inputSnapshotHash: "h",
    };
    return [message, { type: "agent_start", ...run, messageId }];
  }
}

function asEvent({ id, index }: SessionRecord, { type, ...payload }: New): DomainEvent {
  return { id: "", sessionId: id, index: index + 1, type, payload, timestamp: "" } as DomainEvent;
}

function refused(status: number, code: string): ApiError {
  return new ApiError(`It is ${code}`, { status, code });
}
