import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { z } from "zod";

const FRESH_MS = 600_000;
/** How often unknown key ids may cause a request. */
const REST_MS = 30_000;

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/** The signing keys of a provider: cached, fetched again for an unknown key id, and kept while the provider is away. */
export class ProviderKeys {
  readonly #fetch: () => Promise<unknown>;
  readonly #now: () => number;
  #keys: JWTVerifyGetKey | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  /** `fetch` returns the key set; `now` is a monotonic clock in milliseconds. */
  constructor(fetch: () => Promise<unknown>, now: () => number = () => performance.now()) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** The key of a token, as `jose` asks for it. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.#now() - this.#fetchedAt > FRESH_MS) await this.#refetch();
    const keys = this.#keys;
    if (!keys) throw new Error("The signing keys of the provider are unknown");
    try {
      return await keys(header, token);
    } catch (error) {
      await this.#refetch();
      if (this.#keys === keys || !this.#keys) throw error;
      return this.#keys(header, token);
    }
  };

  /** Throws only where no keys are cached. */
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
