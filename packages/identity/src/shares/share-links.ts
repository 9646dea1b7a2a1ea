import { createHash, randomBytes } from "node:crypto";
import type { Journal, RecordedEvent, SqlRunner } from "@parley/journal";
import type { WorkspaceUser } from "../identity.ts";
import { ChangeRefusedError, InvalidShareLinkError } from "../identity-errors.ts";
import type { AccountAccess } from "../keys/account-access.ts";
import type { CommittedWith } from "../people/people.ts";
import { streamNames } from "../people/people-events.ts";
import type { Revocations } from "../people/revocations.ts";

const MAX_LINKS_PER_SESSION = 100;

type Row = Record<string, string | number | null>;

/** A link to a session; its token is shown once, to whoever created it. */
export interface ShareLink {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
}

/** The sessions that links may point to. */
export interface ShareableSessions {
  /** Throws where the user has no such session. */
  row(user: WorkspaceUser, sessionId: string): Promise<unknown>;
}

/** What a valid link grants: reading one session. */
export interface OpenedShareLink {
  readonly id: string;
  readonly sessionId: string;
  readonly principal: WorkspaceUser;
  /** Aborted when the link is revoked or expires. */
  readonly ended: AbortSignal;
  /** Aborted when the session's owner may have lost access: open the link again. */
  readonly recheck: AbortSignal;
}

export interface CreateShareLinkOptions {
  readonly expiresAt?: number | undefined;
  /** Random bytes to derive the token from; fresh ones by default. */
  readonly secret?: Buffer;
  readonly noted?: (made: ShareLink) => CommittedWith;
}

/** A link, the session that it opens, and who owns that session. */
export interface ListedShareLink extends ShareLink {
  readonly sessionId: string;
  readonly owner: string;
}

/** Somebody who lists and revokes links: those to their own sessions, and all of a workspace that they manage. */
export interface ShareLinkManager extends WorkspaceUser {
  /** As an owner of the user's workspace. */
  readonly managesWorkspace?: boolean;
}

/** How many random bytes a token encodes. */
export const SHARE_TOKEN_BYTES = 32;

/** Encodes random bytes as a token. */
export function shareToken(secret: Buffer): string {
  return secret.toString("base64url");
}

/** Links by which anybody reads one session, until they are revoked or expire, or the session's owner loses access. */
export class ShareLinks {
  readonly #journal: Journal;
  readonly #sessions: ShareableSessions;
  readonly #revocations: Revocations;
  readonly #access: Pick<AccountAccess, "ofUser">;

  constructor(
    journal: Journal,
    sessions: ShareableSessions,
    {
      revocations,
      access,
    }: { readonly revocations: Revocations; readonly access: Pick<AccountAccess, "ofUser"> },
  ) {
    this.#journal = journal;
    this.#sessions = sessions;
    this.#revocations = revocations;
    this.#access = access;
  }

  /** Creates a link to one of the user's sessions. */
  async create(
    principal: WorkspaceUser,
    sessionId: string,
    { expiresAt, secret = randomBytes(SHARE_TOKEN_BYTES), noted = () => [] }: CreateShareLinkOptions = {},
  ): Promise<ShareLink & { readonly token: string }> {
    if ((await this.list(principal, sessionId)).length >= MAX_LINKS_PER_SESSION)
      throw new ChangeRefusedError(
        "conflict",
        `A session has up to ${MAX_LINKS_PER_SESSION} links: revoke one first`,
      );
    const id = `shr_${randomBytes(12).toString("base64url")}`;
    const token = shareToken(secret);
    const { owner, workspace } = principal;
    const made: ShareLink = { id, createdAt: Date.now(), ...(expiresAt !== undefined && { expiresAt }) };
    const event: ShareEvent = {
      ...{ type: "share_made", id, hash: hashOf(token), owner, workspace },
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const unit = [{ stream: sharesStream(sessionId), events: [event] }, ...noted(made)];
    await this.#journal.appendAll(unit, { urgent: true });
    return { ...made, token };
  }

  /** A session's valid links, newest first. */
  async list(manager: ShareLinkManager, sessionId: string): Promise<readonly ShareLink[]> {
    const rows = await this.#journal.database.query<Row>(
      `SELECT share_id, workspace, created_at, expires_at FROM session_shares
       WHERE session_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY created_at DESC, share_id`,
      [sessionId, Date.now()],
    );
    const isManaged =
      manager.managesWorkspace && rows.some(({ workspace }) => workspace === manager.workspace);
    if (!isManaged) await this.#sessions.row(manager, sessionId);
    return rows.map(linkOf);
  }

  /** Valid links to all sessions of the user, or of the workspace that they manage, newest first. */
  async listAll(
    { owner, workspace, managesWorkspace = false }: ShareLinkManager,
    {
      limit,
      before,
    }: { readonly limit: number; readonly before?: Pick<ShareLink, "id" | "createdAt"> | undefined },
  ): Promise<readonly ListedShareLink[]> {
    const { createdAt: at = Number.MAX_SAFE_INTEGER, id = "" } = before ?? {};
    const rows = await this.#journal.database.query<Row>(
      `SELECT share_id, session_id, owner, created_at, expires_at FROM session_shares
       WHERE workspace = $1 AND (expires_at IS NULL OR expires_at > $2)
         AND (created_at < $3 OR (created_at = $3 AND share_id > $4)) ${managesWorkspace ? "" : "AND owner = $6"}
       ORDER BY created_at DESC, share_id LIMIT $5`,
      [workspace, Date.now(), at, id, limit, ...(managesWorkspace ? [] : [owner])],
    );
    return rows.map((row) => ({
      ...linkOf(row),
      sessionId: String(row.session_id),
      owner: String(row.owner),
    }));
  }

  /** Invalidates a link and ends the streams that it opened. */
  async revoke(
    manager: ShareLinkManager,
    sessionId: string,
    id: string,
    noted: CommittedWith = [],
  ): Promise<void> {
    const known = await this.list(manager, sessionId);
    if (!known.some((share) => share.id === id))
      throw new ChangeRefusedError("not_found", "There is no such link");
    const event: ShareEvent = { type: "share_revoked", id };
    await this.#journal.appendAll(
      [
        { stream: sharesStream(sessionId), events: [event] },
        this.#revocations.revocation(shareTag(id)),
        ...noted,
      ],
      { urgent: true },
    );
  }

  /** Resolves a token; throws `InvalidShareLinkError`. */
  async open(token: string): Promise<OpenedShareLink> {
    const share = await this.#find(token);
    if (!share) throw new InvalidShareLinkError();
    const { id, sessionId, principal, expiresAt } = share;
    const ended = this.#revocations.signal({ tags: [shareTag(id)], until: expiresAt });
    // Somebody who has lost access to the session does not share it either.
    const recheck = await this.#access.ofUser(principal);
    // It may have been revoked before the signal was taken.
    if (!recheck || !(await this.#find(token))) throw new InvalidShareLinkError();
    return { id, sessionId, principal, ended, recheck };
  }

  /** The id of a token's link; undefined where it is invalid. */
  async idOf(token: string): Promise<string | undefined> {
    return token === "" ? undefined : (await this.#find(token))?.id;
  }

  async #find(token: string) {
    const [row] = await this.#journal.database.query<Row>(
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

function linkOf({ share_id: id, created_at: createdAt = 0, expires_at: expiresAt = null }: Row): ShareLink {
  return {
    ...{ id: String(id), createdAt: Number(createdAt) },
    expiresAt: expiresAt === null ? undefined : Number(expiresAt),
  };
}

function shareTag(id: string): string {
  return `share/${id}`;
}

/** Looked up by its hash, so no secret is compared byte by byte. */
function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/** What happens to the links to a session. */
type ShareEvent =
  | ({
      readonly type: "share_made";
      readonly id: string;
      /** Hash of the token: reading the record opens no link. */
      readonly hash: string;
      readonly expiresAt?: number | undefined;
    } & WorkspaceUser)
  | { readonly type: "share_revoked"; readonly id: string };

/** The stream of the links to a session. */
const [sharesStream, sharedSessionIn] = streamNames("shares/");

export { sharedSessionIn };

/** Writes what happened to a session's links into their table. */
export async function applyShares(
  transaction: SqlRunner,
  sessionId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const { payload, at } of events) {
    const event = payload as ShareEvent;
    if (event.type === "share_revoked") {
      await transaction.query("DELETE FROM session_shares WHERE share_id = $1 AND session_id = $2", [
        event.id,
        sessionId,
      ]);
      continue;
    }
    const { id, hash, owner, workspace, expiresAt = null } = event;
    await transaction.query(
      `INSERT INTO session_shares (share_id, token_hash, session_id, owner, workspace, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, hash, sessionId, owner, workspace, at, expiresAt],
    );
  }
}
