import { createHash, randomUUID } from "node:crypto";
import type { Log } from "@parley/a2a";
import { type Journal, JournalClosedError, type StreamAppend, UnknownStreamError } from "@parley/journal";
import { CommandRefusedError } from "@parley/sessions";
import { Problem } from "../api/problem.ts";
import { isKeyOf, newKey, prefixOf } from "./api-key-text.ts";
import { type Actor, auditAppend } from "./audit-log.ts";
import { LOCAL, type Role } from "./identity.ts";
import { NotAuthenticatedError } from "./not-authenticated-error.ts";

const STREAM = "access/keys";
const PAGE = 1_000;
/** Every node holds all keys. */
const MOST_KEYS = 500;
const LOOK_AGAIN_MS = 1_000;
/** When a key was last used is noted at most so often. */
const USED_EVERY_MS = 3_600_000;

/** What a key is made for. */
export interface KeyRequest {
  readonly name: string;
  readonly owner: string;
  readonly workspace: string;
  readonly role: Role;
  /** ISO 8601; without it the key is good until it is revoked. */
  readonly expiresAt?: string | undefined;
}

/** A key as it may be shown. */
export interface KeyDescription extends KeyRequest {
  readonly id: string;
  /** How it begins. */
  readonly prefix: string;
  readonly createdAt: string;
  /** To within an hour. */
  readonly lastUsedAt?: string | undefined;
}

interface Key extends KeyDescription {
  readonly hash: string;
  /** Who made it; keys of older versions do not say. */
  readonly createdBy?: Pick<Actor, "owner" | "workspace">;
}

type KeyEvent =
  | { readonly opened: true }
  | { readonly created: Key }
  | { readonly revoked: string }
  | { readonly used: string; readonly at: string };

/** A key that is good now, and what says when it is not any more. */
export interface GoodKey {
  readonly key: KeyDescription;
  readonly createdBy: Key["createdBy"];
  readonly ended: AbortSignal;
}

/** How a key is made, beside what it is for. */
export interface MakeKeyOptions {
  /** Random bytes; without them, fresh ones. */
  readonly bytes?: Buffer;
  /** It speaks for a service account that is created with it: refused if anybody ever had that name in the workspace. */
  readonly isNewAccount?: boolean;
  /** What is recorded with it. */
  readonly noted?: (made: KeyDescription) => readonly StreamAppend[];
}

interface Held {
  key: Key;
  readonly ending: AbortController;
  expiry?: NodeJS.Timeout;
}

/** The API keys that are good, as a stream of the journal tells it to every node; secrets are known by their hashes alone. */
export class KeyBook {
  readonly #journal: Journal;
  readonly #log: Log;
  readonly #closing = new AbortController();
  readonly #byPrefix = new Map<string, Held>();
  readonly #byId = new Map<string, Held>();
  /** All for whom there ever was a key: what they made outlives it. */
  readonly #accounts = new Set<string>();
  #index = 0;
  #following: Promise<void> = Promise.resolve();

  private constructor(journal: Journal, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Reads what is known, and from then on hears what any node records. */
  static async open(journal: Journal, log: Log): Promise<KeyBook> {
    const book = new KeyBook(journal, log);
    await book.#catchUp();
    // Only a stream that is there can be followed; who opens it twice does no harm.
    if (book.#index === 0) await journal.append(STREAM, [{ opened: true }], { urgent: true });
    book.#following = book.#follow();
    return book;
  }

  /** The keys of a workspace, the oldest first. */
  list(workspace: string): readonly KeyDescription[] {
    return [...this.#byId.values()].map(({ key }) => shown(key)).filter((key) => key.workspace === workspace);
  }

  /** Makes a key; its secret is told here and never again. */
  async create(
    request: KeyRequest,
    by: Actor,
    { bytes, isNewAccount = false, noted = () => [] }: MakeKeyOptions = {},
  ): Promise<{ key: KeyDescription; secret: string }> {
    const account = accountOf(request);
    if (isNewAccount) await this.#catchUp();
    if (isNewAccount && (request.owner === LOCAL.owner || this.#accounts.has(account)))
      throw new Problem(
        "forbidden",
        `A key speaks for its maker or for a new service account, and the workspace has a user ${JSON.stringify(request.owner)}: choose another name, or none`,
      );
    if (this.list(request.workspace).length >= MOST_KEYS)
      throw new CommandRefusedError("conflict", `A workspace has up to ${MOST_KEYS} keys: revoke one first`);
    const { secret, prefix, hash } = newKey(bytes);
    const id = `key_${randomUUID()}`;
    const createdBy = { owner: by.owner, workspace: by.workspace };
    const created: Key = { ...request, id, prefix, hash, createdAt: new Date().toISOString(), createdBy };
    const { name, owner, role } = request;
    const entry = { action: "key.created", target: id, details: { name, owner, role, prefix } } as const;
    // In the log of the workspace that the key opens, whoever made it.
    const audit = auditAppend({ ...by, workspace: request.workspace }, entry);
    // Of two nodes that create the same account, one is refused.
    const claim = isNewAccount
      ? [{ stream: `access/account/${account}`, events: [{ id }], expected: 0 }]
      : [];
    const unit = [{ stream: STREAM, events: [{ created }] }, audit, ...claim, ...noted(shown(created))];
    await this.#journal.appendAll(unit, { urgent: true });
    await this.#catchUp();
    return { key: shown(created), secret };
  }

  /** Revokes a key of the workspace, at once here and in a moment on other nodes; false: it has no such key. */
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

  /** The key of this secret; throws `NotAuthenticatedError`, in the same words whatever is wrong with it, unless it has expired. */
  find(secret: string): GoodKey {
    const held = this.#byPrefix.get(prefixOf(secret) ?? "");
    if (!held || !isKeyOf(secret, held.key.hash))
      throw new NotAuthenticatedError("This API key is not known here, or was revoked: ask for another");
    const { key, ending } = held;
    if (isOver(key)) throw expired(key);
    this.#used(held);
    return { key: shown(key), createdBy: key.createdBy, ended: ending.signal };
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
        this.#log.warn({ err: error }, "API keys could not be followed");
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS).unref());
      }
    }
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const events = await this.#journal.read<KeyEvent>(STREAM, this.#index, PAGE).catch((error: unknown) => {
        if (error instanceof UnknownStreamError) return [];
        throw error;
      });
      if (events.length === 0) return;
      for (const { index, payload } of events) this.#take(index, payload);
    }
  }

  #take(index: number, event: KeyEvent): void {
    // It may have been read in both ways.
    if (index <= this.#index) return;
    this.#index = index;
    if ("created" in event) this.#hold(event.created);
    else if ("revoked" in event) this.#drop(event.revoked);
    else if ("used" in event) {
      const held = this.#byId.get(event.used);
      if (held) held.key = { ...held.key, lastUsedAt: event.at };
    }
  }

  #hold(key: Key): void {
    const held: Held = { key, ending: new AbortController() };
    this.#accounts.add(accountOf(key));
    this.#byId.set(key.id, held);
    this.#byPrefix.set(key.prefix, held);
    this.#awaitExpiry(held);
  }

  /** Timers go up to 24 days; a key that lives longer is looked at again then. */
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
      .catch((error: unknown) => this.#log.warn({ err: error }, "use of an API key could not be noted"));
  }
}

function isOver({ expiresAt }: Pick<Key, "expiresAt">): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}

function expired({ expiresAt }: Pick<Key, "expiresAt">): NotAuthenticatedError {
  return new NotAuthenticatedError(`Your API key expired at ${expiresAt}: ask for another`);
}

function accountOf({ workspace, owner }: Pick<Key, "workspace" | "owner">): string {
  return createHash("sha256")
    .update(JSON.stringify([workspace, owner]))
    .digest("base64url");
}

function shown({ hash: _, createdBy: __, ...key }: Key): KeyDescription {
  return key;
}
