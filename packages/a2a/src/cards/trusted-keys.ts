import type { JWK } from "jose";
import { z } from "zod";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { guardedFetch } from "../egress/guarded-fetch.ts";
import type { CanonicalForm } from "./canonical-card.ts";
import type { CardAlgorithm } from "./card-signature.ts";
import type { SignatureHeader } from "./card-verification.ts";

/** A public key that is trusted for one agent. */
export interface PinnedKey {
  readonly keyId: string;
  readonly jwk: JWK;
  /** From then on it verifies nothing. */
  readonly notAfter?: Date;
}

/** What we believe about one agent's signatures. */
export interface CardTrust {
  readonly keys: readonly PinnedKey[];
  readonly algorithms?: readonly CardAlgorithm[];
  /** The key sets that `jku` may name, compared as whole URLs; any other is never fetched. */
  readonly keySetUrls?: readonly string[];
  readonly fetchKeySet?: (url: string) => Promise<readonly JWK[]>;
  /** The forms to accept; `official-sdks` only on request, because it does not cover empty members. */
  readonly forms?: readonly CanonicalForm[];
}

/** A pinned key with this name decides alone; only without one is an allow-listed key set asked. */
export async function trustedKeys(header: SignatureHeader, trust: CardTrust): Promise<readonly JWK[]> {
  const pinned = trust.keys.filter((key) => key.keyId === header.kid);
  if (pinned.length > 0) {
    const now = Date.now();
    return pinned
      .filter((key) => key.notAfter === undefined || key.notAfter.getTime() > now)
      .map((key) => key.jwk);
  }
  const { jku } = header;
  if (jku === undefined || !trust.keySetUrls?.includes(jku) || trust.fetchKeySet === undefined) return [];
  const keys = await trust.fetchKeySet(jku);
  return keys.filter((key) => key.kid === header.kid);
}

const keyTypes: Readonly<Record<CardAlgorithm, readonly [type: string, curve: string | undefined]>> = {
  ES256: ["EC", "P-256"],
  ES384: ["EC", "P-384"],
  RS256: ["RSA", undefined],
  PS256: ["RSA", undefined],
  EdDSA: ["OKP", "Ed25519"],
};

/** The key determines its algorithm; the header of an untrusted card must not. */
export function fits(key: JWK, algorithm: CardAlgorithm): boolean {
  const [type, curve] = keyTypes[algorithm];
  const isForSigning = (key.use ?? "sig") === "sig" && (key.key_ops?.includes("verify") ?? true);
  return key.kty === type && key.crv === curve && (key.alg ?? algorithm) === algorithm && isForSigning;
}

/** The key set could not be fetched or is malformed. */
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
