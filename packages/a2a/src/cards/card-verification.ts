import { base64url, flattenedVerify, importJWK, type JWK } from "jose";
import { z } from "zod";
import { type CardSignature, cardSignatureSchema } from "./agent-card.ts";
import { type CanonicalForm, type CardDocument, canonicalCard, coveredMembers } from "./canonical-card.ts";
import { NotCanonicalError } from "./canonical-json.ts";
import { type CardAlgorithm, cardAlgorithms } from "./card-signature.ts";
import { type CardTrust, fits, trustedKeys } from "./trusted-keys.ts";

/** What was proved: only the members that the signature covers, so that nothing else can be used by mistake. */
export interface VerifiedCard {
  readonly document: CardDocument;
  readonly form: CanonicalForm;
  readonly keyId: string;
  readonly algorithm: CardAlgorithm;
}

/** No signature of the card is valid; `reasons` has the reason for each. */
export class CardSignatureError extends Error {
  readonly code = "card_signature";
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super(`The card's signature does not hold: ${reasons.join("; ")}`);
    this.reasons = reasons;
  }
  override get name(): string {
    return "CardSignatureError";
  }
}

/** More signatures than this are not looked at. */
const MAX_SIGNATURES = 16;

/** Finds a signature that holds under the given trust, or throws with the reason of each that does not. */
export async function verifyCard(document: CardDocument, trust: CardTrust): Promise<VerifiedCard> {
  const signatures = Array.isArray(document.signatures) ? document.signatures : [];
  if (signatures.length === 0) throw new CardSignatureError(["it carries none"]);
  if (signatures.length > MAX_SIGNATURES) throw new CardSignatureError(["it carries too many"]);
  const payloads = canonicalPayloads(document, trust.forms ?? ["whole-document", "specification"]);
  const reasons: string[] = [];
  for (const [index, entry] of signatures.entries()) {
    const outcome = await verifyEntry(entry, payloads, trust);
    if (typeof outcome !== "string") return outcome;
    reasons.push(`signatures[${index}]: ${outcome}`);
  }
  throw new CardSignatureError(reasons);
}

interface Payload {
  readonly form: CanonicalForm;
  readonly text: string;
  readonly covered: CardDocument;
}

function canonicalPayloads(document: CardDocument, forms: readonly CanonicalForm[]): Payload[] {
  try {
    return forms.map((form) => ({
      form,
      text: canonicalCard(document, form),
      covered: coveredMembers(document, form),
    }));
  } catch (error) {
    if (!(error instanceof NotCanonicalError)) throw error;
    throw new CardSignatureError([`the card has no canonical form: ${error.message}`]);
  }
}

async function verifyEntry(
  entry: unknown,
  payloads: readonly Payload[],
  trust: CardTrust,
): Promise<VerifiedCard | string> {
  const signature = cardSignatureSchema.safeParse(entry).data;
  const header = signature && readSignatureHeader(signature.protected);
  if (signature === undefined || header === undefined)
    return "it is not a signature in the form of section 8.4.2";
  const allowed: readonly string[] = trust.algorithms ?? cardAlgorithms;
  const algorithm = cardAlgorithms.find((it) => it === header.alg && allowed.includes(it));
  if (algorithm === undefined) return `the algorithm ${header.alg} is not allowed`;
  const keys = await trustedKeys(header, trust).catch((error: Error) => error.message);
  if (typeof keys === "string") return keys;
  if (keys.length === 0) return `the key ${header.kid} is not trusted`;
  const fitting = keys.filter((key) => fits(key, algorithm));
  if (fitting.length === 0) return `the key ${header.kid} is not one for ${algorithm}`;
  for (const { form, text, covered } of payloads) {
    for (const key of fitting) {
      if (!(await holds(signature, { payload: text, key, algorithm }))) continue;
      return { document: covered, form, keyId: header.kid, algorithm };
    }
  }
  return "it was made with another key or over another card";
}

interface Proof {
  readonly payload: string;
  readonly key: JWK;
  readonly algorithm: CardAlgorithm;
}

async function holds(signature: CardSignature, { payload, key, algorithm }: Proof): Promise<boolean> {
  try {
    const publicKey = await importJWK(key, algorithm);
    // The unprotected header is left out: nothing in it is signed, so nothing in it may count.
    const jws = {
      protected: signature.protected,
      signature: signature.signature,
      payload: base64url.encode(payload),
    };
    await flattenedVerify(jws, publicKey, { algorithms: [algorithm] });
    return true;
  } catch {
    // A bad key and a bad signature come to the same: this is no proof.
    return false;
  }
}

/** `crit` and `b64` change what is signed, and the specification has no use for them: such a header is refused. */
const headerSchema = z.object({
  alg: z.string(),
  kid: z.string().min(1),
  typ: z.enum(["JOSE", "JOSE+JSON"]).optional(),
  jku: z.string().optional(),
  crit: z.undefined().optional(),
  b64: z.undefined().optional(),
});
export type SignatureHeader = z.infer<typeof headerSchema>;

/** Decodes the protected header, the only source for how a signature was created. */
export function readSignatureHeader(text: string): SignatureHeader | undefined {
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(base64url.decode(text));
    return headerSchema.safeParse(JSON.parse(decoded)).data;
  } catch {
    // Whatever cannot be decoded is no header; the caller reports it as such.
    return undefined;
  }
}
