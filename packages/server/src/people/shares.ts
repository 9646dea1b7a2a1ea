import { createHash, randomBytes } from "node:crypto";
import type { Journal } from "@parley/journal";
import { CommandRefusedError, type Principal, type Sessions } from "@parley/sessions";
import type { Endings } from "./endings.ts";
import { memberTag, type Noted, type People } from "./people.ts";
import { isUserId } from "./people-events.ts";
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
  /** The link's. */
  readonly id: string;
  readonly sessionId: string;
  /** Whose session it is. */
  readonly principal: Principal;
  /** Aborted when the link does not hold any more. */
  readonly ended: AbortSignal;
}

/** How a link is made. */
export interface MakeShareOptions {
  readonly expiresAt?: number | undefined;
  /** Random bytes; without them, fresh ones. */
  readonly secret?: Buffer;
  /** What is recorded with it. */
  readonly noted?: (made: Share) => Noted;
}

/** A link, and the session that it opens, as its owner sees both. */
export interface OwnShare extends Share {
  readonly sessionId: string;
  readonly title: string;
}

/** How many bytes a token has. */
export const TOKEN_BYTES = 32;

/** The token of these bytes. */
export function tokenOf(secret: Buffer): string {
  return secret.toString("base64url");
}

/** Links by which anybody reads one session, until they are revoked or expire. */
export class Shares {
  readonly #journal: Journal;
  readonly #sessions: Pick<Sessions, "row">;
  readonly #endings: Endings;
  readonly #people: Pick<People, "role">;

  constructor(
    journal: Journal,
    sessions: Pick<Sessions, "row">,
    { endings, people }: { readonly endings: Endings; readonly people: Pick<People, "role"> },
  ) {
    this.#journal = journal;
    this.#sessions = sessions;
    this.#endings = endings;
    this.#people = people;
  }

  /** Makes a link to a session of the principal's. */
  async make(
    principal: Principal,
    sessionId: string,
    { expiresAt, secret = randomBytes(TOKEN_BYTES), noted = () => [] }: MakeShareOptions = {},
  ): Promise<Share & { readonly token: string }> {
    if ((await this.list(principal, sessionId)).length >= MOST_SHARES)
      throw new CommandRefusedError("conflict", `A session has up to ${MOST_SHARES} links: revoke one first`);
    const id = `shr_${randomBytes(12).toString("base64url")}`;
    const token = tokenOf(secret);
    const { owner, workspace } = principal;
    const made: Share = { id, createdAt: Date.now(), ...(expiresAt !== undefined && { expiresAt }) };
    const event: ShareEvent = {
      ...{ type: "share_made", id, hash: hashOf(token), owner, workspace },
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const unit = [{ stream: sharesStream(sessionId), events: [event] }, ...noted(made)];
    await this.#journal.appendAll(unit, { urgent: true });
    return { ...made, token };
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

  /** All links to sessions of the principal's that hold, the newest first; up to so many before a place. */
  async own(
    { owner, workspace }: Principal,
    {
      limit,
      before,
    }: { readonly limit: number; readonly before?: Pick<Share, "id" | "createdAt"> | undefined },
  ): Promise<readonly OwnShare[]> {
    const { createdAt: at = Number.MAX_SAFE_INTEGER, id = "" } = before ?? {};
    const rows = await this.#journal.database.query<Record<string, string | number | null>>(
      `SELECT share_id, session_id, title, session_shares.created_at AS made_at, expires_at
       FROM session_shares JOIN sessions USING (session_id)
       WHERE session_shares.owner = $1 AND session_shares.workspace = $2 AND (expires_at IS NULL OR expires_at > $3)
         AND (session_shares.created_at < $4 OR (session_shares.created_at = $4 AND share_id > $5))
       ORDER BY session_shares.created_at DESC, share_id LIMIT $6`,
      [owner, workspace, Date.now(), at, id, limit],
    );
    return rows.map((row) => ({
      ...{ id: String(row.share_id), sessionId: String(row.session_id), title: String(row.title ?? "") },
      createdAt: Number(row.made_at),
      expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
    }));
  }

  /** From then on it opens nothing; who reads by it is cut. */
  async revoke(principal: Principal, sessionId: string, id: string, noted: Noted = []): Promise<void> {
    const known = await this.list(principal, sessionId);
    if (!known.some((share) => share.id === id))
      throw new CommandRefusedError("not_found", "There is no such link");
    const event: ShareEvent = { type: "share_revoked", id };
    await this.#journal.appendAll(
      [{ stream: sharesStream(sessionId), events: [event] }, this.#endings.ending(shareTag(id)), ...noted],
      { urgent: true },
    );
  }

  /** What a token opens; throws `CommandRefusedError` where that is nothing. */
  async open(token: string): Promise<SharedSession> {
    const share = await this.#found(token);
    if (!share) throw new CommandRefusedError("not_found", "This link does not hold, or not any more");
    const { id, sessionId, principal, expiresAt } = share;
    const { owner, workspace } = principal;
    const tags = [shareTag(id), memberTag(workspace, owner)];
    const ended = this.#endings.signal({ tags, until: expiresAt });
    // Who may not read it any more does not show it to others either.
    const isTheirs = !isUserId(owner) || (await this.#people.role(workspace, owner)) !== undefined;
    // It may have been revoked since it was found: then nobody will tell the signal.
    if (!isTheirs || !(await this.#found(token)))
      throw new CommandRefusedError("not_found", "This link does not hold, or not any more");
    return { id, sessionId, principal, ended };
  }

  /** Which link a token is of; undefined: none that holds. */
  async idOf(token: string): Promise<string | undefined> {
    return token === "" ? undefined : (await this.#found(token))?.id;
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
