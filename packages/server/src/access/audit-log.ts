import { createHash } from "node:crypto";
import { type Journal, type RecordedEvent, type StreamAppend, UnknownStreamError } from "@parley/journal";
import type { Identity } from "./identity.ts";

/** What is noted when somebody does it. */
export type AuditAction =
  | "key.created"
  | "key.revoked"
  | "agent.added"
  | "agent.changed"
  | "agent.removed"
  | "agent.restored"
  | "settings.model_tested"
  | "session.deleted"
  | "session.restored"
  | "session.shared"
  | "session.unshared"
  | "member.added"
  | "member.changed"
  | "member.removed"
  | "login.succeeded"
  | "login.ended";

/** Who does something. */
export type Actor = Pick<Identity, "owner" | "workspace" | "name">;

/** What somebody did; no secret is ever part of it. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** To what: the name or id of a key, an agent, a session, a user. */
  readonly target: string;
  /** More about it, such as a role. */
  readonly details?: Readonly<Record<string, string>>;
}

/** An entry as it stands in the log. */
export interface RecordedAudit extends AuditEntry {
  readonly index: number;
  readonly at: string;
  readonly owner: string;
  readonly name: string;
}

type Stored = Omit<RecordedAudit, "index">;

/** Who did what in each workspace: entries are only ever appended. */
export class AuditLog {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Resolves when it is recorded. */
  async record(actor: Actor, entry: AuditEntry): Promise<void> {
    const { stream, events } = auditAppend(actor, entry);
    await this.#journal.append(stream, events, { urgent: true });
  }

  /** Up to so many entries of a workspace before this index, the newest first. */
  async before(workspace: string, { before, limit }: { before?: number | undefined; limit: number }) {
    const stream = streamOf(workspace);
    try {
      const end = before ?? (await this.#journal.head(stream)) + 1;
      const after = Math.max(0, end - 1 - limit);
      const events = end <= 1 ? [] : await this.#page(stream, after, end);
      return { entries: events.map(entryOf).reverse(), next: after > 0 ? after + 1 : undefined };
    } catch (error) {
      if (error instanceof UnknownStreamError) return { entries: [], next: undefined };
      throw error;
    }
  }

  async #page(stream: string, after: number, end: number): Promise<RecordedEvent<Stored>[]> {
    const events: RecordedEvent<Stored>[] = [];
    for (let at = after; at < end - 1; at = events.at(-1)?.index ?? end) {
      const page = await this.#journal.read<Stored>(stream, at, end - 1 - at);
      if (page.length === 0) break;
      events.push(...page);
    }
    return events;
  }
}

/** An entry as part of a unit, so that it is recorded exactly if what it tells is. */
export function auditAppend({ owner, workspace, name }: Actor, entry: AuditEntry): StreamAppend {
  const stored: Stored = { at: new Date().toISOString(), owner, name, ...entry };
  return { stream: streamOf(workspace), events: [stored] };
}

function entryOf({ index, payload }: RecordedEvent<Stored>): RecordedAudit {
  return { index, ...payload };
}

// A workspace may be called anything; a stream may not.
function streamOf(workspace: string): string {
  return `audit/${createHash("sha256").update(workspace).digest("base64url")}`;
}
