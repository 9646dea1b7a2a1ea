import { generateAgentCardSignature, type AgentCard as SdkCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { base64url, exportJWK, FlattenedSign, generateKeyPair, type JWK } from "jose";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Json } from "../protocol/model.ts";
import { type CardDocument, canonicalCard } from "./canonical-card.ts";
import { type CardAlgorithm, type CardSigner, cardAlgorithms, signCard } from "./card-signature.ts";
import { CardSignatureError, verifyCard } from "./card-verification.ts";
import { agentCardJson } from "./published-cards.ts";
import { exampleAgent, plainAgent } from "./testing/example-agent.ts";
import type { CardTrust } from "./trusted-keys.ts";

interface Keys {
  readonly signer: CardSigner;
  readonly trust: CardTrust;
  readonly jwk: JWK;
}

async function keysFor(algorithm: CardAlgorithm, keyId = "key-1"): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { signer: { key: privateKey, algorithm, keyId }, trust: { keys: [{ keyId, jwk }] }, jwk };
}

const document = agentCardJson(exampleAgent);
let keys: Keys;
let signed: CardDocument;

beforeAll(async () => {
  // The SDK reports each signature that does not hold there.
  vi.spyOn(console, "debug").mockImplementation(() => undefined);
  keys = await keysFor("ES256");
  signed = await signCard(document, keys.signer);
});

function refused(card: CardDocument, trust: CardTrust = keys.trust): Promise<CardSignatureError> {
  return verifyCard(card, trust).then(
    () => expect.fail("it was accepted"),
    (error: unknown) => {
      expect(error).toBeInstanceOf(CardSignatureError);
      return error as CardSignatureError;
    },
  );
}

/** A signature with this protected header, right in all else. */
async function signedWith(header: Record<string, unknown>, key = keys.signer.key): Promise<CardDocument> {
  const jws = await new FlattenedSign(new TextEncoder().encode(canonicalCard(document)))
    .setProtectedHeader({ alg: "ES256", kid: "key-1", ...header })
    .sign(key, { crit: { b64: true } });
  return { ...document, signatures: [{ protected: jws.protected ?? "", signature: jws.signature }] };
}

describe("a signed card", () => {
  it.each(cardAlgorithms)("verifies with %s", async (algorithm) => {
    const { signer, trust } = await keysFor(algorithm);
    const verified = await verifyCard(await signCard(document, signer), trust);
    expect(verified).toMatchObject({ algorithm, keyId: "key-1", form: "specification" });
  });

  it("carries a detached signature with the header of section 8.4.2", async () => {
    const keySetUrl = "https://agent.example/keys.json";
    const { signatures } = await signCard(document, { ...keys.signer, keySetUrl });
    const [entry] = signatures as { protected: string }[];
    expect(Object.keys(entry ?? {})).toEqual(["protected", "signature"]);
    expect(JSON.parse(new TextDecoder().decode(base64url.decode(entry?.protected ?? "")))).toEqual({
      alg: "ES256",
      typ: "JOSE",
      kid: "key-1",
      jku: keySetUrl,
    });
  });

  it("yields only the signed members, so that a forged v0.3 address is not used", async () => {
    const verified = await verifyCard({ ...signed, url: "https://evil.example/" }, keys.trust);
    expect(verified.document).not.toHaveProperty("url");
    expect(verified.document).toHaveProperty("supportedInterfaces", document.supportedInterfaces);
  });

  it("covers the v0.3 members too when the whole document is signed", async () => {
    const whole = await signCard(document, keys.signer, ["whole-document"]);
    expect(await verifyCard(whole, keys.trust)).toMatchObject({ document, form: "whole-document" });
    await refused({ ...whole, url: "https://evil.example/" });
  });

  it("is refused if any member is added or removed", async () => {
    const covered = Object.keys(JSON.parse(canonicalCard(document)) as object);
    expect(covered).toHaveLength(13);
    for (const name of covered) {
      const { [name]: _, ...without } = signed;
      await refused(without);
    }
    const { iconUrl: _, ...plain } = document;
    await refused({ ...(await signCard(plain, keys.signer)), iconUrl: "https://evil.example/" });
  });

  it("is refused if any value, however deep, has changed", async () => {
    const covered = JSON.parse(canonicalCard(document)) as Json;
    const tampered = [...withOneLeafChanged(covered)] as CardDocument[];
    expect(tampered.length).toBeGreaterThan(50);
    for (const card of tampered) await refused({ ...card, signatures: signed.signatures ?? null });
    await verifyCard({ ...(covered as CardDocument), signatures: signed.signatures ?? null }, keys.trust);
  });

  it("verifies regardless of member order and empty members", async () => {
    const turned = Object.fromEntries(Object.entries(signed).reverse());
    const reread = JSON.parse(JSON.stringify(turned).replaceAll('{"list":[]}', "{}")) as CardDocument;
    await expect(verifyCard(reread, keys.trust)).resolves.toMatchObject({ keyId: "key-1" });
  });
});

/** The value again and again, each time with another text, number, flag or empty object changed. */
function* withOneLeafChanged(value: Json): Generator<Json> {
  if (typeof value !== "object" || value === null) {
    yield typeof value === "boolean" ? !value : typeof value === "number" ? value + 1 : `${value}!`;
    return;
  }
  if (Object.keys(value).length === 0) yield { list: ["more"] };
  for (const [name, item] of Object.entries(value)) {
    for (const changed of withOneLeafChanged(item as Json)) {
      yield Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed };
    }
  }
}

describe("verification", () => {
  it("refuses a card without signatures, and one with too many", async () => {
    expect((await refused(document)).reasons).toEqual(["it carries none"]);
    const heap = Array.from({ length: 17 }, () => (signed.signatures as Json[])[0] ?? null);
    expect((await refused({ ...document, signatures: heap })).reasons).toEqual(["it carries too many"]);
  });

  it.each(["specification", "whole-document", "official-sdks"] as const)(
    "refuses a card that has no canonical form (%s)",
    async (form) => {
      const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as Json;
      for (const params of [{ deep }, { text: "\ud800" }]) {
        const capabilities = { extensions: [{ uri: "urn:x", params }] };
        const error = await refused({ ...signed, capabilities }, { ...keys.trust, forms: [form] });
        expect(error.reasons[0]).toContain("no canonical form");
      }
    },
  );

  it("refuses another key with the same id", async () => {
    const other = await keysFor("ES256");
    const error = await refused(await signCard(document, other.signer));
    expect(error.reasons).toEqual(["signatures[0]: it was made with another key or over another card"]);
  });

  it("refuses a key that is not pinned, and names it", async () => {
    const stranger = await keysFor("ES256", "stranger");
    const error = await refused(await signCard(document, stranger.signer));
    expect(error.reasons).toEqual(["signatures[0]: the key stranger is not trusted"]);
  });

  it("refuses a pinned key that has expired", async () => {
    const [key] = keys.trust.keys;
    const pinned = key === undefined ? [] : [{ ...key, notAfter: new Date(Date.now() - 1) }];
    await refused(signed, { keys: pinned });
    const later = pinned.map((it) => ({ ...it, notAfter: new Date(Date.now() + 60_000) }));
    await verifyCard(signed, { keys: later });
  });

  it("accepts one valid signature among invalid ones, as during key rotation", async () => {
    const old = await keysFor("EdDSA", "old");
    const both = await signCard(await signCard(document, old.signer), keys.signer);
    expect(await verifyCard(both, keys.trust)).toMatchObject({ keyId: "key-1" });
    expect(await verifyCard(both, old.trust)).toMatchObject({ keyId: "old", algorithm: "EdDSA" });
  });

  it.each(["none", "HS256", "HS512", "ES512", "RS1", "es256", ""])(
    "never accepts the algorithm %j",
    async (alg) => {
      const header = base64url.encode(JSON.stringify({ alg, typ: "JOSE", kid: "key-1" }));
      const error = await refused({ ...document, signatures: [{ protected: header, signature: "" }] });
      expect(error.reasons).toEqual([`signatures[0]: the algorithm ${alg} is not allowed`]);
    },
  );

  it("does not accept the public key as an HMAC secret", async () => {
    const { trust, jwk } = await keysFor("RS256");
    const secret = new TextEncoder().encode(JSON.stringify(jwk));
    const forged = await signedWith({ alg: "HS256" }, secret as unknown as CardSigner["key"]);
    await refused(forged, trust);
  });

  it("does not let the header choose an algorithm that the key is not for", async () => {
    const rsa = await keysFor("PS256");
    await refused(await signCard(document, { ...rsa.signer, algorithm: "PS256" }), {
      keys: [{ keyId: "key-1", jwk: { ...rsa.jwk, alg: "RS256" } }],
    });
    for (const wrong of [
      { ...keys.jwk, alg: "ES384" },
      { ...keys.jwk, use: "enc" },
      { ...keys.jwk, key_ops: ["encrypt"] },
      { ...keys.jwk, crv: "P-384" },
      rsa.jwk,
      { kty: "oct", k: "AAAA" },
    ]) {
      const error = await refused(signed, { keys: [{ keyId: "key-1", jwk: wrong }] });
      expect(error.reasons).toEqual(["signatures[0]: the key key-1 is not one for ES256"]);
    }
  });

  it("accepts only the configured algorithms", async () => {
    await verifyCard(signed, { ...keys.trust, algorithms: ["ES256"] });
    await refused(signed, { ...keys.trust, algorithms: ["EdDSA"] });
  });

  it.each([
    ["no key id", { kid: undefined }],
    ["an empty key id", { kid: "" }],
    ["another type", { typ: "JWT" }],
    ["an extension it must understand", { crit: ["b64"], b64: true }],
  ])("refuses a header with %s", async (_, header) => {
    expect((await refused(await signedWith(header))).reasons[0]).toContain("section 8.4.2");
  });

  it("accepts a header without the type, which the specification only recommends", async () => {
    await verifyCard(await signedWith({}), keys.trust);
  });

  it.each([
    ["nonsense", { protected: "%%%", signature: "x" }],
    ["a header that is not JSON", { protected: base64url.encode("{"), signature: "x" }],
    ["a header that is not an object", { protected: base64url.encode("[]"), signature: "x" }],
    ["no signature", { protected: "e30" }],
    ["a text", "signature"],
    ["null", null],
  ])("refuses %s in place of a signature", async (_, entry) => {
    await refused({ ...document, signatures: [entry as Json] });
  });

  it("ignores the unprotected header", async () => {
    const [entry] = signed.signatures as { [name: string]: Json }[];
    const withHeader = { ...document, signatures: [{ ...entry, header: { alg: "none", kid: "other" } }] };
    await expect(verifyCard(withHeader, keys.trust)).resolves.toMatchObject({ keyId: "key-1" });
  });
});

describe("keys at a jku", () => {
  const url = "https://agent.example/keys.json";
  const asked: string[] = [];
  const fetchKeySet = async (it: string) => {
    asked.push(it);
    return [
      { kid: "other", kty: "EC" },
      { ...keys.jwk, kid: "key-1" },
    ];
  };

  it("are fetched from allow-listed addresses only", async () => {
    const card = await signCard(document, { ...keys.signer, keySetUrl: url });
    await verifyCard(card, { keys: [], keySetUrls: [url], fetchKeySet });
    expect(asked.splice(0)).toEqual([url]);
    for (const keySetUrls of [[], [`${url}?`], ["https://agent.example/"], [url.toUpperCase()]]) {
      await refused(card, { keys: [], keySetUrls, fetchKeySet });
    }
    await refused(card, { keys: [], fetchKeySet });
    expect(asked).toEqual([]);
  });

  it("are reported if they cannot be fetched, and the next signature is still tried", async () => {
    const card = await signCard(document, { ...keys.signer, keyId: "far", keySetUrl: url });
    const trust = {
      ...keys.trust,
      keySetUrls: [url],
      fetchKeySet: () => Promise.reject(new Error("It is down")),
    };
    expect((await refused(card, trust)).reasons).toEqual(["signatures[0]: It is down"]);
    await verifyCard(await signCard(card, keys.signer), trust);
  });

  it("do not replace a pinned key with the same id", async () => {
    const pinned = await keysFor("ES256");
    const card = await signCard(document, { ...keys.signer, keySetUrl: url });
    await refused(card, { ...pinned.trust, keySetUrls: [url], fetchKeySet });
    expect(asked).toEqual([]);
  });
});

describe("the SDK", () => {
  const plain = agentCardJson(plainAgent);

  it("verifies our signature where its canonical form agrees", async () => {
    const ours = await signCard(plain, keys.signer);
    await verifyAgentCardSignature(async () => keys.jwk)(ours as unknown as SdkCard);
  });

  it("creates a signature that we verify where its canonical form agrees", async () => {
    const sign = generateAgentCardSignature(keys.signer.key, { alg: "ES256", kid: "key-1", typ: "JOSE" });
    const theirs = JSON.parse(JSON.stringify(await sign(plain as unknown as SdkCard))) as CardDocument;
    await expect(verifyCard(theirs, keys.trust)).resolves.toMatchObject({ form: "specification" });
  });

  it("verifies a card with empty members if it is also signed in the SDK's form", async () => {
    const verify = verifyAgentCardSignature(async () => keys.jwk);
    await expect(verify(signed as unknown as SdkCard)).rejects.toThrow("No valid signatures");
    const forBoth = await signCard(document, keys.signer, ["specification", "official-sdks"]);
    expect(forBoth.signatures).toHaveLength(2);
    await verify(forBoth as unknown as SdkCard);
    await verifyCard(forBoth, keys.trust);
    expect((await signCard(plain, keys.signer, ["specification", "official-sdks"])).signatures).toHaveLength(
      1,
    );
  });

  it("creates a signature over a card with empty members that we accept only on request", async () => {
    const sign = generateAgentCardSignature(keys.signer.key, { alg: "ES256", kid: "key-1", typ: "JOSE" });
    const theirs = JSON.parse(JSON.stringify(await sign(document as unknown as SdkCard))) as CardDocument;
    await refused(theirs);
    const verified = await verifyCard(theirs, { ...keys.trust, forms: ["official-sdks"] });
    expect(verified.document).not.toHaveProperty("url");
  });
});
