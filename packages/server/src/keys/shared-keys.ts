import { randomBytes, scrypt } from "node:crypto";
import { existsSync } from "node:fs";
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
import { keyFile, type RecordKeys } from "./record-keys.ts";

const STREAM = "record/keys";
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** A key as it is in the database: sealed under the operator's secret, or as it is. */
type KeptKey = { readonly name: string } & (
  | { readonly key: string }
  | { readonly sealed: string; readonly salt: string }
);

export interface SharedKeysOptions {
  readonly secret: string | undefined;
  /** Its keys are taken over by the database when that has none yet: they were what nodes had to share before. */
  readonly dataFolder: string;
}

/**
 * Keys in the journal that nodes share. With a secret they are sealed there, and so are those that were not, as soon
 * as a node with a secret opens them; a node with another secret, or none, is refused.
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

  /** Throws a `StartError` where the secret is not the one that the keys are sealed with. */
  static async open(journal: Journal, options: SharedKeysOptions): Promise<SharedKeys> {
    const keys = new SharedKeys(journal, options);
    const lieOpen = await keys.#catchUp();
    if (options.secret !== undefined && lieOpen) await keys.#sealAll();
    return keys;
  }

  async of(name: string): Promise<Buffer> {
    for (;;) {
      await this.#catchUp();
      const known = this.#keys.get(name);
      if (known) return known;
      // Where others are asked for at the same time, what is read meanwhile may have this name.
      const head = this.#head;
      const file = keyFile(this.#options.dataFolder, name);
      const key = existsSync(file) ? await loadOrCreateKey(file) : randomBytes(KEY_BYTES);
      // Who is first has made the key of all.
      await this.#append([await this.#kept(name, key)], head);
    }
  }

  /** Reads on, and says whether any of the keys lies open. */
  async #catchUp(): Promise<boolean> {
    let lieOpen = false;
    for (const { index, payload } of await eventsAfter<KeptKey>(this.#journal, STREAM, this.#head)) {
      this.#keys.set(payload.name, await this.#opened(payload));
      this.#head = index;
      lieOpen ||= "key" in payload;
    }
    return lieOpen;
  }

  async #sealAll(): Promise<void> {
    const through = this.#head;
    const all = [...this.#keys].map(([name, key]) => this.#kept(name, key));
    // Whoever was faster has sealed them too, or made one more: the next start sees to that.
    if (await this.#append(await Promise.all(all), through)) await this.#journal.trim(STREAM, through);
  }

  /** False means that somebody else wrote after this index, who is to be read first. */
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
        "The keys in this database are sealed: start this node with the PARLEY_SECRET of the others",
      );
    try {
      const seal = await sealBy(secret, kept.salt);
      return Buffer.from(String(seal.open(kept.name, kept.sealed)), "base64");
    } catch (error) {
      if (!(error instanceof SecretLostError)) throw error;
      throw new StartError(
        "PARLEY_SECRET is not the one that the keys in this database are sealed with: use that of the other nodes",
      );
    }
  }
}

// An operator's secret may be a few words: guessing them must be dear.
async function sealBy(secret: string, salt: string): Promise<SecretSeal> {
  const derive = promisify<string, string, number, Buffer>(scrypt);
  return new SecretSeal(await derive(secret, salt, KEY_BYTES));
}

/** The keys of the data folder; where nodes share a Postgres, those in its database. */
export async function openKeys(
  { databaseUrl, dataFolder, secret }: Pick<Configuration, "databaseUrl" | "dataFolder" | "secret">,
  journal: Journal,
  log: Logger,
): Promise<RecordKeys> {
  if (!databaseUrl) return { of: (name) => loadOrCreateKey(keyFile(dataFolder, name)) };
  if (secret === undefined)
    log.warn("whoever can read the database can open the credentials in it: set PARLEY_SECRET on every node");
  return SharedKeys.open(journal, { secret, dataFolder });
}
