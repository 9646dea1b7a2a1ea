import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  FlattenedSign,
  generateKeyPair,
  type JWK,
  type KeyObject,
} from "jose";
import type { CardSignature } from "./agent-card.ts";
import { type CanonicalForm, type CardDocument, canonicalCard } from "./canonical-card.ts";

/** The only algorithms we sign with or accept: asymmetric ones, so that who verifies cannot sign. */
export const cardAlgorithms = ["ES256", "ES384", "RS256", "PS256", "EdDSA"] as const;
export type CardAlgorithm = (typeof cardAlgorithms)[number];

export interface CardSigner {
  readonly key: CryptoKey | KeyObject | JWK;
  readonly algorithm: CardAlgorithm;
  /** Names the key in the set in which it is published. */
  readonly keyId: string;
  /** Where that set is, for those who fetch it. */
  readonly keySetUrl?: string;
}

/** Adds a signature over each distinct form, because readers disagree on section 8.4.1. */
export async function signCard(
  document: CardDocument,
  signer: CardSigner,
  forms: readonly CanonicalForm[] = ["specification"],
): Promise<CardDocument> {
  const payloads = new Set(forms.map((form) => canonicalCard(document, form)));
  const added = await Promise.all([...payloads].map((payload) => signPayload(payload, signer)));
  const before = Array.isArray(document.signatures) ? document.signatures : [];
  return { ...document, signatures: [...before, ...added] };
}

async function signPayload(payload: string, signer: CardSigner): Promise<CardSignature> {
  const { key, algorithm, keyId, keySetUrl } = signer;
  const jws = await new FlattenedSign(new TextEncoder().encode(payload))
    .setProtectedHeader({
      alg: algorithm,
      typ: "JOSE",
      kid: keyId,
      ...(keySetUrl === undefined ? {} : { jku: keySetUrl }),
    })
    .sign(key);
  return { protected: jws.protected ?? "", signature: jws.signature };
}

/** A key to sign cards with, and the set in which its public half is published. */
export interface SigningKey {
  readonly signer: CardSigner;
  readonly keySet: CardDocument;
}

/** Makes a key for as long as this process runs; its id is its thumbprint, so that no two keys share one. */
export async function makeSigningKey(keySetUrl: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const { kty = "EC", crv = "", x = "", y = "" } = await exportJWK(publicKey);
  const keyId = await calculateJwkThumbprint({ kty, crv, x, y });
  return {
    signer: { key: privateKey, algorithm: "ES256", keyId, keySetUrl },
    keySet: { keys: [{ kty, crv, x, y, kid: keyId, alg: "ES256", use: "sig" }] },
  };
}
