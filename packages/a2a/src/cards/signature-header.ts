import { base64url } from "jose";
import { z } from "zod";

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

/** Decodes the protected header, which alone says how a signature was made. */
export function readSignatureHeader(text: string): SignatureHeader | undefined {
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(base64url.decode(text));
    return headerSchema.safeParse(JSON.parse(decoded)).data;
  } catch {
    // Whatever cannot be decoded is no header; the caller reports it as such.
    return undefined;
  }
}
