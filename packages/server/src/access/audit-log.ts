import { createHash } from "node:crypto";
import { type Journal, type RecordedEvent, type StreamAppend, UnknownStreamError } from "@parley/journal";
import type { Identity } from "./identity.ts";

/** What is noted when somebody does it. */
export const AUDIT_ACTIONS = [
  ...(["key.created", "key.revoked"] as const),
  ...(["agent.added", "agent.changed", "agent.removed", "agent.restored"] as const),
  ...(["settings.model_tested"] as const),
  ...(["session.deleted", "session.restored", "session.shared", "session.unshared"] as const),
  ...(["workspace.created", "member.added", "member.invited", "member.joined"] as const),
  ...(["member.changed", "member.removed", "invitation.revoked"] as const),
  ...(["login.succeeded", "login.ended", "login.refused", "key.refused", "role.refused"] as const),
  ...(["session.exported", "session.imported", "session.read_by_link", "approval.answered"] as const),
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** A filter looks at so many entries for one page at most, and then says where to go on. */
const LOOKED_AT = 5_000;
const PAGE = 1_000;

/** Who does something. */
export type Actor = Pick<Identity, "owner" | "workspace" | "name" | "address">;

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
  /** From where. */
  readonly address?: string;
}

/** Which entries are wanted: the newest before an index, of some kind or by somebody. */
export interface AuditQuery {
  readonly limit: number;
  readonly before?: number | undefined;
  /** Such as `key`, or `key.revoked`. */
  readonly action?: string | undefined;
  /** Part of the name or the id of who did it, in any case. */
  readonly who?: string | undefined;
}

type Stored = Omit<RecordedAudit, "index">;

/** Who did what in each workspace: entries are only ever appended. */
export class AuditLog {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** For what leaves nothing in the journal itself: noted before it is done. All else is noted in its own unit (`auditAppend`). */
  async intend(actor: Actor, entry: AuditEntry): Promise<void> {
    const { stream, events } = auditAppend(actor, entry);
    await this.#journal.append(stream, events, { urgent: true });
  }

  /** A page of a workspace's entries, the newest first; `next`: where the page after it begins, if there may be one. */
  async before(
    workspace: string,
    { limit, before, action, who = "" }: AuditQuery,
  ): Promise<{ entries: RecordedAudit[]; next: number | undefined }> {
    const stream = streamOf(workspace);
    const head = await this.#journal.head(stream).catch((error: unknown) => {
      if (error instanceof UnknownStreamError) return 0;
      throw error;
    });
    let end = Math.min(before ?? head + 1, head + 1);
    const last = Math.max(1, end - LOOKED_AT);
    const entries: RecordedAudit[] = [];
    while (end > last && entries.length < limit) {
      const from = Math.max(last, end - (action || who ? PAGE : limit - entries.length));
      const found = await this.#range(stream, from, end);
      end = from;
      for (const event of found.reverse()) {
        end = event.index;
        const entry = { index: event.index, ...event.payload };
        if (isWanted(entry, { action, who })) entries.push(entry);
        if (entries.length === limit) break;
      }
    }
    return { entries, next: end > 1 ? end : undefined };
  }

  /** The entries from this index to before that one. */
  async #range(stream: string, from: number, end: number): Promise<RecordedEvent<Stored>[]> {
    const events: RecordedEvent<Stored>[] = [];
    for (let after = from - 1; after < end - 1; ) {
      const page = await this.#journal.read<Stored>(stream, after, end - 1 - after);
      if (page.length === 0) break;
      events.push(...page);
      after = page.at(-1)?.index ?? end;
    }
    return events;
  }
}

/** An entry as part of a unit, so that it is recorded exactly if what it tells is. */
export function auditAppend({ owner, workspace, name, address }: Actor, entry: AuditEntry): StreamAppend {
  const stored: Stored = {
    ...{ at: new Date().toISOString(), owner, name, ...entry },
    ...(address !== undefined && { address }),
  };
  return { stream: streamOf(workspace), events: [stored] };
}

function isWanted(
  { action, owner, name }: RecordedAudit,
  wanted: { readonly action: string | undefined; readonly who: string },
): boolean {
  const who = wanted.who.toLowerCase();
  const isKind = wanted.action === undefined || `${action}.`.startsWith(`${wanted.action}.`);
  return isKind && [owner, name].some((text) => text.toLowerCase().includes(who));
}

// A workspace may be called anything; a stream may not.
function streamOf(workspace: string): string {
  return `audit/${createHash("sha256").update(workspace).digest("base64url")}`;
}
