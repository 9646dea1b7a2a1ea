import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { z } from "zod";

/** After so long the keys are asked for again, though they are known. */
const FRESH_MS = 600_000;
/** A key that nobody has makes us ask at most so often. */
const REST_MS = 30_000;

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/** The keys of a provider: kept, asked for again now and then or for one that is new, and used on while it is away. */
export class ProviderKeys {
  readonly #fetch: () => Promise<unknown>;
  readonly #now: () => number;
  #keys: JWTVerifyGetKey | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  /** `fetch` gives the key set, or throws; `now` is a clock that never goes back, in milliseconds. */
  constructor(fetch: () => Promise<unknown>, now: () => number = () => performance.now()) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** The key that a token names; for jose. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.#now() - this.#fetchedAt > FRESH_MS) await this.#refetch();
    const keys = this.#keys;
    if (!keys) throw new Error("The provider's keys are not known");
    try {
      return await keys(header, token);
    } catch (error) {
      await this.#refetch();
      if (this.#keys === keys || !this.#keys) throw error;
      return this.#keys(header, token);
    }
  };

  /** Throws only where there are no keys at all: old ones are better than none. */
  async #refetch(): Promise<void> {
    if (!this.#asking && this.#keys && this.#now() - this.#triedAt < REST_MS) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking.catch((error: unknown) => {
      if (!this.#keys) throw error;
    });
  }

  async #ask(): Promise<void> {
    this.#triedAt = this.#now();
    const set = keySetSchema.parse(await this.#fetch());
    this.#keys = createLocalJWKSet(set as JSONWebKeySet);
    this.#fetchedAt = this.#now();
  }
}
