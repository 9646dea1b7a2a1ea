import type { JWK } from "jose";
import { z } from "zod";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { guardedFetch } from "../egress/guarded-fetch.ts";

/** The key set could not be had, or is none. */
export class KeySetError extends Error {
  readonly code = "key_set";
  constructor(url: string, why: string, cause?: unknown) {
    super(`The key set at ${url} ${why}`, { cause });
  }
  override get name(): string {
    return "KeySetError";
  }
}

/** A set of keys, RFC 7517; members that we do not know stay, and keys that we do not know are passed over. */
const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** Fetches JSON Web Key Sets through the egress guard; made for `CardTrust.fetchKeySet`. */
export function keySetFetcher(policy: EgressPolicy): (url: string) => Promise<readonly JWK[]> {
  return async (url) => {
    const response = await guardedFetch(url, { headers: { accept: "application/json" } }, policy);
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new KeySetError(url, `answered with status ${response.status}`);
    }
    const body: unknown = await response.json().catch((error: unknown) => {
      throw new KeySetError(url, "is not JSON", error);
    });
    const set = keySetSchema.safeParse(body);
    if (!set.success) throw new KeySetError(url, "is not a key set");
    return set.data.keys;
  };
}
