import { createHash, randomBytes } from "node:crypto";
import type { Journal } from "@parley/journal";
import { CommandRefusedError, type Principal, type Sessions } from "@parley/sessions";
import type { Endings } from "./endings.ts";
import { type ShareEvent, sharesStream } from "./share-events.ts";

/** So that a list of them is read at a glance. */
const MOST_SHARES = 100;

/** A link to a session; the token itself is told once, to who made it. */
export interface Share {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
}

/** What a link opens: one session, for reading. */
export interface SharedSession {
  readonly sessionId: string;
  /** Whose session it is. */
  readonly principal: Principal;
  /** Aborted when the link does not hold any more. */
  readonly ended: AbortSignal;
}

/** Links by which anybody reads one session, until they are revoked or expire. */
export class Shares {
  readonly #journal: Journal;
  readonly #sessions: Pick<Sessions, "row">;
  readonly #endings: Endings;

  constructor(journal: Journal, sessions: Pick<Sessions, "row">, endings: Endings) {
    this.#journal = journal;
    this.#sessions = sessions;
    this.#endings = endings;
  }

  /** Makes a link to a session of the principal's. */
  async make(
    principal: Principal,
    sessionId: string,
    { expiresAt }: { readonly expiresAt?: number | undefined } = {},
  ): Promise<Share & { readonly token: string }> {
    if ((await this.list(principal, sessionId)).length >= MOST_SHARES)
      throw new CommandRefusedError("conflict", `A session has up to ${MOST_SHARES} links: revoke one first`);
    const id = `shr_${randomBytes(12).toString("base64url")}`;
    const token = randomBytes(32).toString("base64url");
    const { owner, workspace } = principal;
    const event: ShareEvent = {
      ...{ type: "share_made", id, hash: hashOf(token), owner, workspace },
      ...(expiresAt !== undefined && { expiresAt }),
    };
    await this.#journal.append(sharesStream(sessionId), [event], { urgent: true });
    return { id, token, createdAt: Date.now(), expiresAt };
  }

  /** The links that hold, the newest first. */
  async list(principal: Principal, sessionId: string): Promise<readonly Share[]> {
    await this.#sessions.row(principal, sessionId);
    const rows = await this.#journal.database.query<Record<string, string | number | null>>(
      `SELECT share_id, created_at, expires_at FROM session_shares
       WHERE session_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY created_at DESC, share_id`,
      [sessionId, Date.now()],
    );
    return rows.map(({ share_id: id, created_at: createdAt, expires_at: expiresAt }) => ({
      ...{ id: String(id), createdAt: Number(createdAt) },
      expiresAt: expiresAt === null ? undefined : Number(expiresAt),
    }));
  }

  /** From then on it opens nothing; who reads by it is cut. */
  async revoke(principal: Principal, sessionId: string, id: string): Promise<void> {
    const known = await this.list(principal, sessionId);
    if (!known.some((share) => share.id === id))
      throw new CommandRefusedError("not_found", "There is no such link");
    const event: ShareEvent = { type: "share_revoked", id };
    await this.#journal.appendAll(
      [{ stream: sharesStream(sessionId), events: [event] }, this.#endings.ending(shareTag(id))],
      { urgent: true },
    );
  }

  /** What a token opens; throws `CommandRefusedError` where that is nothing. */
  async open(token: string): Promise<SharedSession> {
    const share = await this.#found(token);
    if (!share) throw new CommandRefusedError("not_found", "This link does not hold, or not any more");
    const { id, sessionId, principal, expiresAt } = share;
    const ended = this.#endings.signal({ tags: [shareTag(id)], until: expiresAt });
    // It may have been revoked since it was found: then nobody will tell the signal.
    if (!(await this.#found(token)))
      throw new CommandRefusedError("not_found", "This link does not hold, or not any more");
    return { sessionId, principal, ended };
  }

  async #found(token: string) {
    const [row] = await this.#journal.database.query<Record<string, string | number | null>>(
      `SELECT share_id, session_id, owner, workspace, expires_at FROM session_shares
       WHERE token_hash = $1 AND (expires_at IS NULL OR expires_at > $2)`,
      [hashOf(token), Date.now()],
    );
    return (
      row && {
        ...{ id: String(row.share_id), sessionId: String(row.session_id) },
        principal: { owner: String(row.owner), workspace: String(row.workspace) },
        expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
      }
    );
  }
}

function shareTag(id: string): string {
  return `share/${id}`;
}

/** Found by its hash, so nothing is compared byte by byte with what a stranger sends. */
function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
