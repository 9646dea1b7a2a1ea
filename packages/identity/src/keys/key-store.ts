import { createHash, randomUUID } from "node:crypto";
import { eventsAfter, type Journal, JournalClosedError, type StreamAppend } from "@parley/journal";
import { type Actor, auditAppend } from "../audit/audit-log.ts";
import { LOCAL_USER, type WorkspaceRole, type WorkspaceUser } from "../identity.ts";
import { ChangeRefusedError, NotAuthenticatedError } from "../identity-errors.ts";
import { isUserId } from "../people/people-events.ts";
import type { IdentityLog } from "../ports.ts";
import { apiKeyPrefix, generateKey, matchesHash } from "./api-key.ts";

const STREAM = "access/keys";
const PAGE = 1_000;
/** Every node holds all keys in memory. */
const MAX_KEYS = 500;
const LOOK_AGAIN_MS = 1_000;
/** How often the last use of a key is recorded at most. */
const USED_EVERY_MS = 3_600_000;

/** What a key is for. */
export interface KeyRequest {
  readonly name: string;
  readonly owner: string;
  readonly workspace: string;
  readonly role: WorkspaceRole;
  /** ISO 8601; without it the key never expires. */
  readonly expiresAt?: string | undefined;
}

/** A key without its secret. */
export interface KeyDescription extends KeyRequest {
  readonly id: string;
  readonly prefix: string;
  readonly createdAt: string;
  /** To within an hour. */
  readonly lastUsedAt?: string | undefined;
}

interface Key extends KeyDescription {
  readonly hash: string;
  /** Who created it; missing in keys of older versions. */
  readonly createdBy?: Pick<Actor, "owner" | "workspace">;
}

type KeyEvent =
  | { readonly opened: true }
  | { readonly created: Key }
  | { readonly revoked: string }
  | { readonly used: string; readonly at: string };

/** A valid key, and the signal that it ends. */
export interface ValidKey {
  readonly key: KeyDescription;
  readonly createdBy: Key["createdBy"];
  readonly ended: AbortSignal;
}

export interface KeyCreation {
  /** Random bytes to derive the key from; fresh ones by default. */
  readonly bytes?: Buffer;
  /** Creates a service account; refused if the workspace ever had a user of that name. */
  readonly isNewAccount?: boolean;
  readonly noted?: (made: KeyDescription) => readonly StreamAppend[];
}

interface Held {
  key: Key;
  readonly ending: AbortController;
  expiry?: NodeJS.Timeout;
}

/** The valid API keys, kept in a stream that every node follows; only hashes of secrets are stored. */
export class KeyStore {
  readonly #journal: Journal;
  readonly #log: IdentityLog;
  readonly #closing = new AbortController();
  readonly #byPrefix = new Map<string, Held>();
  readonly #byId = new Map<string, Held>();
  /** Every account that ever had a key, with the creator of its first: what an account owns outlives its keys. */
  readonly #accounts = new Map<string, Key["createdBy"]>();
  /** The same accounts with normalised names. */
  readonly #names = new Set<string>();
  #index = 0;
  #following: Promise<void> = Promise.resolve();

  private constructor(journal: Journal, log: IdentityLog) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Reads all keys, and follows changes by any node from then on. */
  static async open(journal: Journal, log: IdentityLog): Promise<KeyStore> {
    const keys = new KeyStore(journal, log);
    await keys.#catchUp();
    // Only an existing stream can be followed; opening it twice does no harm.
    if (keys.#index === 0) await journal.append(STREAM, [{ opened: true }], { urgent: true });
    keys.#following = keys.#follow();
    return keys;
  }

  /** The keys of a workspace, oldest first. */
  list(workspace: string): readonly KeyDescription[] {
    return [...this.#byId.values()].map(({ key }) => shown(key)).filter((key) => key.workspace === workspace);
  }

  /** Creates a key; its secret is returned here only. */
  async create(
    request: KeyRequest,
    by: Actor,
    { bytes, isNewAccount = false, noted = () => [] }: KeyCreation = {},
  ): Promise<{ key: KeyDescription; secret: string }> {
    const likeness = likenessOf(request);
    const account = accountOf(likeness);
    if (isNewAccount) await this.#catchUp();
    const isTaken =
      likeness.owner === LOCAL_USER.owner || isUserId(likeness.owner) || this.#names.has(account);
    if (isNewAccount && isTaken)
      throw new ChangeRefusedError(
        "forbidden",
        `A key speaks for its maker or for a new service account, and the workspace has a user ${JSON.stringify(request.owner)}: choose another name, or none`,
      );
    if (this.list(request.workspace).length >= MAX_KEYS)
      throw new ChangeRefusedError("conflict", `A workspace has at most ${MAX_KEYS} keys: revoke one first`);
    const { secret, prefix, hash } = generateKey(bytes);
    const id = `key_${randomUUID()}`;
    const createdBy = { owner: by.owner, workspace: by.workspace };
    const created: Key = { ...request, id, prefix, hash, createdAt: new Date().toISOString(), createdBy };
    const { name, owner, role } = request;
    const entry = { action: "key.created", target: id, details: { name, owner, role, prefix } } as const;
    // Audited in the workspace that the key opens, whoever created it.
    const audit = auditAppend({ ...by, workspace: request.workspace }, entry);
    // Of two nodes that create the same account, one fails.
    const claim = isNewAccount
      ? [{ stream: `access/account/${account}`, events: [{ id }], expected: 0 }]
      : [];
    const unit = [{ stream: STREAM, events: [{ created }] }, audit, ...claim, ...noted(shown(created))];
    await this.#journal.appendAll(unit, { urgent: true });
    await this.#catchUp();
    return { key: shown(created), secret };
  }

  /** Revokes a key of the workspace, here at once and on other nodes shortly after; false where there is no such key. */
  async revoke(
    workspace: string,
    id: string,
    by: Actor,
    noted: readonly StreamAppend[] = [],
  ): Promise<boolean> {
    const held = this.#byId.get(id);
    if (held?.key.workspace !== workspace) return false;
    const { name, prefix } = held.key;
    const audit = auditAppend(by, { action: "key.revoked", target: id, details: { name, prefix } });
    const unit = [{ stream: STREAM, events: [{ revoked: id }] }, audit, ...noted];
    await this.#journal.appendAll(unit, { urgent: true });
    await this.#catchUp();
    return true;
  }

  /** The key of this secret; throws `NotAuthenticatedError`, with the same message for every invalid key but an expired one. */
  find(secret: string): ValidKey {
    const held = this.#byPrefix.get(apiKeyPrefix(secret) ?? "");
    if (!held || !matchesHash(secret, held.key.hash))
      throw new NotAuthenticatedError("This API key is not known here, or was revoked: ask for another");
    if (isOver(held.key)) throw expired(held.key);
    this.#used(held);
    return validKey(held);
  }

  /** The valid keys of an account. */
  keysOf({ owner, workspace }: WorkspaceUser): readonly ValidKey[] {
    return [...this.#byId.values()]
      .filter(({ key }) => key.owner === owner && key.workspace === workspace && !isOver(key))
      .map(validKey);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    for (const { expiry } of this.#byId.values()) clearTimeout(expiry);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        for await (const batch of this.#journal.follow<KeyEvent>(STREAM, this.#index, signal))
          for (const { index, payload } of batch) this.#take(index, payload);
      } catch (error) {
        if (error instanceof JournalClosedError) return;
        this.#log.warn({ err: error }, "following API keys failed; retrying");
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS).unref());
      }
    }
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const events = await eventsAfter<KeyEvent>(this.#journal, STREAM, this.#index, PAGE);
      if (events.length === 0) return;
      for (const { index, payload } of events) this.#take(index, payload);
    }
  }

  #take(index: number, event: KeyEvent): void {
    // Both catching up and following may have read it.
    if (index <= this.#index) return;
    this.#index = index;
    if ("created" in event) this.#hold(event.created);
    else if ("revoked" in event) this.#drop(event.revoked);
    else if ("used" in event) {
      const held = this.#byId.get(event.used);
      if (held) held.key = { ...held.key, lastUsedAt: event.at };
    }
  }

  #hold(created: Key): void {
    // The creator of an account answers for the keys that the account creates.
    const { createdBy: maker } = created;
    const first = maker && !isUserId(maker.owner) ? this.#accounts.get(accountOf(maker)) : undefined;
    const key = { ...created, ...(first && { createdBy: first }) };
    const held: Held = { key, ending: new AbortController() };
    const account = accountOf(key);
    if (!this.#accounts.has(account)) this.#accounts.set(account, key.createdBy);
    this.#names.add(accountOf(likenessOf(key)));
    this.#byId.set(key.id, held);
    this.#byPrefix.set(key.prefix, held);
    this.#awaitExpiry(held);
  }

  /** Timers reach 24 days: for later expiries the timer is set again. */
  #awaitExpiry(held: Held): void {
    const { key, ending } = held;
    if (key.expiresAt === undefined) return;
    const left = Date.parse(key.expiresAt) - Date.now();
    if (left <= 0) ending.abort(expired(key));
    else held.expiry = setTimeout(() => this.#awaitExpiry(held), Math.min(left, 2 ** 31 - 1)).unref();
  }

  #drop(id: string): void {
    const held = this.#byId.get(id);
    if (!held) return;
    clearTimeout(held.expiry);
    this.#byId.delete(id);
    this.#byPrefix.delete(held.key.prefix);
    held.ending.abort(new NotAuthenticatedError("Your API key was revoked: ask for another"));
  }

  #used(held: Held): void {
    const { id, lastUsedAt } = held.key;
    if (lastUsedAt !== undefined && Date.now() - Date.parse(lastUsedAt) < USED_EVERY_MS) return;
    const at = new Date().toISOString();
    held.key = { ...held.key, lastUsedAt: at };
    this.#journal
      .append(STREAM, [{ used: id, at }])
      .catch((error: unknown) => this.#log.warn({ err: error }, "recording the use of an API key failed"));
  }
}

function isOver({ expiresAt }: Pick<Key, "expiresAt">): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}

function expired({ expiresAt }: Pick<Key, "expiresAt">): NotAuthenticatedError {
  return new NotAuthenticatedError(`Your API key expired at ${expiresAt}: ask for another`);
}

/** Normalises the name, so that nobody can pass for another: "Ann " and "ann" look alike. */
function likenessOf({ workspace, owner }: Pick<Key, "workspace" | "owner">) {
  return { workspace, owner: owner.normalize("NFKC").trim().toLowerCase() };
}

function accountOf({ workspace, owner }: Pick<Key, "workspace" | "owner">): string {
  return createHash("sha256")
    .update(JSON.stringify([workspace, owner]))
    .digest("base64url");
}

function validKey({ key, ending }: Held): ValidKey {
  return { key: shown(key), createdBy: key.createdBy, ended: ending.signal };
}

function shown({ hash: _, createdBy: __, ...key }: Key): KeyDescription {
  return key;
}
