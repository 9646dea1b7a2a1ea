import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  type Journal,
  LeaseHeldError,
  type RecordedEvent,
  SecretLostError,
  SecretSeal,
  type SqlRunner,
  type StreamAppend,
} from "@parley/journal";
import { auditAppend } from "../audit/audit-log.ts";
import { LoginRefusedError, ProviderUnavailableError } from "../identity-errors.ts";
import { personalWorkspaceOf, streamNames } from "../people/people-events.ts";
import type { Revocations } from "../people/revocations.ts";
import type { IdentityLog } from "../ports.ts";
import type { GrantedLogin, IdentityProvider } from "./identity-provider.ts";

const HOUR_MS = 3_600_000;
/** How long a login lasts with a refresh token, and without one. */
const MAX_LOGIN_MS = 30 * 24 * HOUR_MS;
const MAX_UNCHECKED_LOGIN_MS = 12 * HOUR_MS;
const CHECK_EVERY_MS = { least: 60_000, usual: HOUR_MS, most: HOUR_MS };
/** The login stays valid for so long after the provider could not be reached. */
const ASK_AGAIN_MS = 60_000;
const UPKEEP_AT_ONCE = 1_000;

/** A valid login. */
export interface Login {
  readonly id: string;
  readonly userId: string;
  /** In milliseconds since 1970. */
  readonly endsAt: number;
}

interface LoginRow extends Login {
  readonly secretHash: string;
  readonly sealed: string | undefined;
  readonly checkAt: number;
}

/**
 * Browser logins, valid on every node. The cookie holds an id and a 256-bit secret. The journal holds the secret's hash,
 * and the provider's refresh token encrypted with the secret: without the cookie it cannot be used.
 */
export class Logins {
  readonly #journal: Journal;
  readonly #revocations: Revocations;
  readonly #provider: Pick<IdentityProvider, "refresh">;
  readonly #log: IdentityLog;
  readonly #now: () => number;
  readonly #checking = new Map<string, Promise<boolean>>();

  constructor(options: {
    readonly journal: Journal;
    readonly revocations: Revocations;
    readonly provider: Pick<IdentityProvider, "refresh">;
    readonly log: IdentityLog;
    /** In milliseconds since 1970. */
    readonly now?: () => number;
  }) {
    this.#journal = options.journal;
    this.#revocations = options.revocations;
    this.#provider = options.provider;
    this.#log = options.log;
    this.#now = options.now ?? Date.now;
  }

  /** Signs a user in; returns the cookie's value and when it expires. */
  async begin(
    userId: string,
    granted: GrantedLogin,
    { name = userId, address }: { readonly name?: string; readonly address?: string } = {},
  ): Promise<{ cookie: string; endsAt: number }> {
    const id = randomBytes(12).toString("base64url");
    const secret = randomBytes(32).toString("base64url");
    const now = this.#now();
    const endsAt = now + (granted.refreshToken === undefined ? MAX_UNCHECKED_LOGIN_MS : MAX_LOGIN_MS);
    const event: LoginEvent = {
      ...{ type: "signed_in", userId, secretHash: hashOf(secret), endsAt },
      ...confirmation(id, secret, granted, now),
    };
    const noted = auditAppend(own(userId, name, address), { action: "login.succeeded", target: userId });
    await this.#journal.appendAll([{ stream: loginStream(id), events: [event], expected: 0 }, noted], {
      urgent: true,
    });
    return { cookie: `${id}.${secret}`, endsAt };
  }

  /** The login of a cookie; undefined where it is not valid. */
  async find(cookie: string): Promise<Login | undefined> {
    const [id = "", secret = ""] = cookie.split(".");
    const row = await this.#row(id);
    if (!row || !isSecret(secret, row) || row.endsAt <= this.#now()) return undefined;
    if (row.checkAt > this.#now() || row.sealed === undefined) return row;
    let check = this.#checking.get(id);
    if (!check) {
      check = this.#check(id, secret).finally(() => this.#checking.delete(id));
      this.#checking.set(id, check);
    }
    return (await check) ? row : undefined;
  }

  /** Signs out and ends open streams. */
  async end(cookie: string): Promise<void> {
    const login = await this.find(cookie);
    if (login) await this.#journal.appendAll(this.#signOut(login), { urgent: true });
  }

  /** Removes expired logins; call it periodically on any node. */
  async upkeep(now = this.#now()): Promise<number> {
    const ended = await this.#journal.database.query<{ login_id: string }>(
      "SELECT login_id FROM people_logins WHERE ends_at < $1 LIMIT $2",
      [now, UPKEEP_AT_ONCE],
    );
    for (const { login_id: id } of ended) await this.#journal.delete(loginStream(id));
    return ended.length;
  }

  /** Asks the provider whether the login is still valid, on one node at a time: a refresh token may be good only once. */
  async #check(id: string, secret: string): Promise<boolean> {
    const lease = await this.#journal.acquire(loginStream(id)).catch((error: unknown) => {
      if (error instanceof LeaseHeldError) return undefined;
      throw error;
    });
    if (!lease) return true;
    try {
      const row = await this.#row(id);
      if (!row) return false;
      if (row.checkAt > this.#now() || row.sealed === undefined) return true;
      const appends = await this.#asked(row, secret);
      const [first, ...rest] = appends;
      if (first) await this.#journal.appendAll([{ ...first, epoch: lease.epoch }, ...rest], { urgent: true });
      return rest.length === 0;
    } finally {
      await lease.release();
    }
  }

  async #asked(row: LoginRow, secret: string): Promise<readonly StreamAppend[]> {
    const { id, sealed = "" } = row;
    try {
      const granted = await this.#provider.refresh(String(sealOf(secret).open(id, sealed)));
      const event: LoginEvent = { type: "confirmed", ...confirmation(id, secret, granted, this.#now()) };
      return [{ stream: loginStream(id), events: [event] }];
    } catch (error) {
      if (error instanceof LoginRefusedError || error instanceof SecretLostError) return this.#signOut(row);
      if (!(error instanceof ProviderUnavailableError)) throw error;
      this.#log.warn({ err: error }, "a login could not be confirmed; it stays valid");
      const event: LoginEvent = { type: "confirmed", checkAt: this.#now() + ASK_AGAIN_MS, sealed };
      return [{ stream: loginStream(id), events: [event] }];
    }
  }

  #signOut({ id, userId }: Login): readonly StreamAppend[] {
    const event: LoginEvent = { type: "signed_out" };
    const noted = auditAppend(own(userId, userId), { action: "login.ended", target: userId });
    return [{ stream: loginStream(id), events: [event] }, this.#revocations.revocation(loginTag(id)), noted];
  }

  async #row(id: string): Promise<LoginRow | undefined> {
    const [row] = await this.#journal.database.query<Record<string, string | number | null>>(
      "SELECT user_id, secret_hash, sealed, check_at, ends_at FROM people_logins WHERE login_id = $1",
      [id],
    );
    return (
      row && {
        ...{ id, userId: String(row.user_id), secretHash: String(row.secret_hash) },
        ...{ checkAt: Number(row.check_at), endsAt: Number(row.ends_at) },
        sealed: row.sealed === null ? undefined : String(row.sealed),
      }
    );
  }
}

/** Logins are audited in the user's personal workspace. */
function own(userId: string, name: string, address?: string) {
  return { owner: userId, name, workspace: personalWorkspaceOf(userId), address };
}

/** The tag that revokes a login. */
export function loginTag(loginId: string): string {
  return `login/${loginId}`;
}

function confirmation(id: string, secret: string, granted: GrantedLogin, now: number) {
  const { refreshToken, expiresInSeconds } = granted;
  const { least, usual, most } = CHECK_EVERY_MS;
  const lasts = expiresInSeconds === undefined ? usual : expiresInSeconds * 1_000;
  return {
    checkAt: now + Math.min(Math.max(lasts, least), most),
    ...(refreshToken !== undefined && { sealed: sealOf(secret).seal(id, refreshToken) }),
  };
}

function sealOf(secret: string): SecretSeal {
  return new SecretSeal(createHmac("sha256", secret).update("refresh token").digest());
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

function isSecret(secret: string, { secretHash }: LoginRow): boolean {
  return timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(secretHash));
}

/** What happens to a login. */
type LoginEvent =
  | {
      readonly type: "signed_in";
      readonly userId: string;
      /** Hash of the cookie's secret: reading the journal signs nobody in. */
      readonly secretHash: string;
      readonly checkAt: number;
      readonly endsAt: number;
      /** The provider's refresh token, sealed with the cookie's secret. */
      readonly sealed?: string | undefined;
    }
  | { readonly type: "confirmed"; readonly checkAt: number; readonly sealed?: string | undefined }
  | { readonly type: "signed_out" };

const [loginStream, loginIdIn] = streamNames("login/");

export { loginIdIn };

/** Writes what happened to a login into the table. */
export async function applyLogins(
  transaction: SqlRunner,
  loginId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const { payload } of events) {
    const event = payload as LoginEvent;
    switch (event.type) {
      case "signed_in":
        await transaction.query(
          `INSERT INTO people_logins (login_id, user_id, secret_hash, sealed, check_at, ends_at)
           VALUES ($1, $2, $3, $4, $5, $6)`,
          [loginId, event.userId, event.secretHash, event.sealed ?? null, event.checkAt, event.endsAt],
        );
        break;
      case "confirmed":
        await transaction.query("UPDATE people_logins SET check_at = $2, sealed = $3 WHERE login_id = $1", [
          loginId,
          event.checkAt,
          event.sealed ?? null,
        ]);
        break;
      case "signed_out":
        await transaction.query("DELETE FROM people_logins WHERE login_id = $1", [loginId]);
        break;
    }
  }
}
