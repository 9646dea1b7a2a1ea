import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A certificate that signs itself, and its key, both in PEM. */
export interface SelfSignedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Makes a certificate for these DNS names, good for a day, so that no key has to live in the repository. */
export function selfSignedCertificate(...names: readonly string[]): SelfSignedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const day = 86_400_000;
  const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));
  const name = sequence(set(sequence(objectId("550403"), tlv(0x0c, Buffer.from("Parley test")))));
  const alternativeNames = sequence(...names.map((it) => tlv(0x82, Buffer.from(it))));
  const extension = sequence(objectId("551d11"), tlv(0x04, alternativeNames));
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKeyInfo(publicKey),
    tlv(0xa3, sequence(extension)),
  );
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]));
  const der = sequence(body, ecdsaWithSha256, signature);
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

/** One element of DER: tag, length, content. */
function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

function sequence(...items: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(items));
}

function set(...items: readonly Buffer[]): Buffer {
  return tlv(0x31, Buffer.concat(items));
}

function objectId(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, "hex"));
}

function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, "").slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}
