import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import type { CardDocument } from "./canonical-card.ts";
import type { CardSigner } from "./card-signature.ts";

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
