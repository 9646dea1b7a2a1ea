import { createHash } from "node:crypto";
import { type Journal, type RecordedEvent, type StreamAppend, UnknownStreamError } from "@parley/journal";
import type { Identity } from "../identity.ts";

/** The actions that are audited. */
const AUDIT_ACTIONS = [
  ...(["key.created", "key.revoked"] as const),
  ...(["agent.added", "agent.changed", "agent.removed", "agent.restored"] as const),
  ...(["settings.model_tested"] as const),
  ...(["session.deleted", "session.restored", "session.shared", "session.unshared"] as const),
  ...(["workspace.created", "member.added", "member.invited", "member.joined"] as const),
  ...(["member.changed", "member.removed", "invitation.revoked"] as const),
  ...(["login.succeeded", "login.ended", "login.refused", "key.refused", "link.refused"] as const),
  ...(["role.refused"] as const),
  ...(["session.exported", "session.imported", "session.read_by_link", "approval.answered"] as const),
] as const;
export type AuditActionName = (typeof AUDIT_ACTIONS)[number];

/** How many entries a filtered page scans at most. */
const MAX_SCANNED = 5_000;
const PAGE = 1_000;

/** Who performs an action. */
export type Actor = Pick<Identity, "owner" | "workspace" | "name" | "address">;

/** An action to be audited; never contains a secret. */
export interface AuditedAction {
  readonly action: AuditActionName;
  /** The name or id of a key, an agent, a session or a user. */
  readonly target: string;
  readonly details?: Readonly<Record<string, string>>;
}

/** An entry of the log. */
export interface AuditLogEntry extends AuditedAction {
  readonly index: number;
  readonly at: string;
  readonly owner: string;
  readonly name: string;
  readonly address?: string | undefined;
}

/** Selects the newest entries before an index. */
export interface AuditLogQuery {
  readonly limit: number;
  readonly before?: number | undefined;
  /** An action or its first part: `key.revoked`, or `key`. */
  readonly action?: string | undefined;
  /** Part of the actor's name or id, ignoring case. */
  readonly who?: string | undefined;
}

type Stored = Omit<AuditLogEntry, "index">;

/** Who did what in each workspace; append-only. */
export class AuditLog {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** For actions that write nothing else to the journal: call it first. All others commit their entry with `auditAppend`. */
  async append(actor: Actor, entry: AuditedAction): Promise<void> {
    const { stream, events } = auditAppend(actor, entry);
    await this.#journal.append(stream, events, { urgent: true });
  }

  /** A page of a workspace's entries, newest first; `next` is the `before` of the following page, if there may be one. */
  async page(
    workspace: string,
    { limit, before, action, who = "" }: AuditLogQuery,
  ): Promise<{ entries: AuditLogEntry[]; next: number | undefined }> {
    const stream = streamOf(workspace);
    const head = await this.#journal.head(stream).catch((error: unknown) => {
      if (error instanceof UnknownStreamError) return 0;
      throw error;
    });
    let end = Math.min(before ?? head + 1, head + 1);
    const last = Math.max(1, end - MAX_SCANNED);
    const entries: AuditLogEntry[] = [];
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

  /** The entries from index `from` to before `end`. */
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

/** An entry to be committed with the action itself: both are recorded, or neither. */
export function auditAppend({ owner, workspace, name, address }: Actor, entry: AuditedAction): StreamAppend {
  const stored: Stored = { at: new Date().toISOString(), owner, name, ...entry, address };
  return { stream: streamOf(workspace), events: [stored] };
}

function isWanted(
  { action, owner, name }: AuditLogEntry,
  wanted: { readonly action: string | undefined; readonly who: string },
): boolean {
  const who = wanted.who.toLowerCase();
  const isKind = wanted.action === undefined || `${action}.`.startsWith(`${wanted.action}.`);
  return isKind && [owner, name].some((text) => text.toLowerCase().includes(who));
}

// Workspace names may have characters that stream names may not.
function streamOf(workspace: string): string {
  return `audit/${createHash("sha256").update(workspace).digest("base64url")}`;
}
