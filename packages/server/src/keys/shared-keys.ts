import { randomBytes, scrypt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  eventsAfter,
  IndexConflictError,
  type Journal,
  loadOrCreateKey,
  SecretLostError,
  SecretSeal,
} from "@parley/journal";
import type { Logger } from "pino";
import type { Configuration } from "../configuration.ts";
import { StartError } from "../start-error.ts";

const STREAM = "record/keys";
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** The keys of a record by name, which seal credentials and sign webhooks; the same on all its nodes. */
export interface RecordKeys {
  /** Creates the key on first use. */
  of(name: string): Promise<Buffer>;
}

/** A stored key, sealed with the operator's secret or in plain text. */
type KeptKey = { readonly name: string } & (
  | { readonly key: string }
  | { readonly sealed: string; readonly salt: string }
);

export interface SharedKeysOptions {
  readonly secret: string | undefined;
  /** Key files in it are used where the database has no key of that name yet. */
  readonly dataFolder: string;
}

/**
 * Keys in the journal, shared by all nodes. With a secret they are sealed, including older ones as soon as a node with a
 * secret opens them; a node with another secret, or none, cannot start.
 */
export class SharedKeys implements RecordKeys {
  readonly #journal: Journal;
  readonly #options: SharedKeysOptions;
  readonly #keys = new Map<string, Buffer>();
  #head = 0;

  private constructor(journal: Journal, options: SharedKeysOptions) {
    this.#journal = journal;
    this.#options = options;
  }

  /** Throws a `StartError` where the keys are sealed with another secret. */
  static async open(journal: Journal, options: SharedKeysOptions): Promise<SharedKeys> {
    const keys = new SharedKeys(journal, options);
    const hasUnsealed = await keys.#catchUp();
    if (options.secret !== undefined && hasUnsealed) await keys.#sealAll();
    return keys;
  }

  async of(name: string): Promise<Buffer> {
    for (;;) {
      await this.#catchUp();
      const known = this.#keys.get(name);
      if (known) return known;
      // A concurrent call for another name may read this one meanwhile.
      const head = this.#head;
      const file = join(this.#options.dataFolder, `${name}.key`);
      const key = existsSync(file) ? await loadOrCreateKey(file) : randomBytes(KEY_BYTES);
      // The first node to append creates the key for all.
      await this.#append([await this.#kept(name, key)], head);
    }
  }

  /** Reads new keys, and returns whether any of them is unsealed. */
  async #catchUp(): Promise<boolean> {
    let hasUnsealed = false;
    for (const { index, payload } of await eventsAfter<KeptKey>(this.#journal, STREAM, this.#head)) {
      this.#keys.set(payload.name, await this.#opened(payload));
      this.#head = index;
      hasUnsealed ||= "key" in payload;
    }
    return hasUnsealed;
  }

  async #sealAll(): Promise<void> {
    const through = this.#head;
    const all = [...this.#keys].map(([name, key]) => this.#kept(name, key));
    // A faster node has sealed them too, or added another: the next start handles that.
    if (await this.#append(await Promise.all(all), through)) await this.#journal.trim(STREAM, through);
  }

  /** Returns false where another node appended first. */
  async #append(keys: readonly KeptKey[], expected: number): Promise<boolean> {
    try {
      await this.#journal.append(STREAM, keys, { expected, urgent: true });
      return true;
    } catch (error) {
      if (error instanceof IndexConflictError) return false;
      throw error;
    }
  }

  async #kept(name: string, key: Buffer): Promise<KeptKey> {
    const { secret } = this.#options;
    if (secret === undefined) return { name, key: key.toString("base64") };
    const salt = randomBytes(SALT_BYTES).toString("base64");
    return { name, salt, sealed: (await sealBy(secret, salt)).seal(name, key.toString("base64")) };
  }

  async #opened(kept: KeptKey): Promise<Buffer> {
    if ("key" in kept) return Buffer.from(kept.key, "base64");
    const { secret } = this.#options;
    if (secret === undefined)
      throw new StartError(
        "The keys in this database are sealed; start this node with the PARLEY_SECRET of the others",
      );
    try {
      const seal = await sealBy(secret, kept.salt);
      return Buffer.from(String(seal.open(kept.name, kept.sealed)), "base64");
    } catch (error) {
      if (!(error instanceof SecretLostError)) throw error;
      throw new StartError(
        "PARLEY_SECRET does not match the keys in this database; use the secret of the other nodes",
      );
    }
  }
}

// An operator's secret may be a few words, so guessing must be expensive.
async function sealBy(secret: string, salt: string): Promise<SecretSeal> {
  const derive = promisify<string, string, number, Buffer>(scrypt);
  return new SecretSeal(await derive(secret, salt, KEY_BYTES));
}

/** The keys in the data folder or, with Postgres, in the shared database. */
export async function openKeys(
  { databaseUrl, dataFolder, secret }: Pick<Configuration, "databaseUrl" | "dataFolder" | "secret">,
  journal: Journal,
  log: Logger,
): Promise<RecordKeys> {
  if (!databaseUrl) return { of: (name) => loadOrCreateKey(join(dataFolder, `${name}.key`)) };
  if (secret === undefined)
    log.warn("credentials in the database are not encrypted; set PARLEY_SECRET on every node");
  return SharedKeys.open(journal, { secret, dataFolder });
}
