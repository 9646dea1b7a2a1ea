import { createHash } from "node:crypto";
import { canonicalJson, NotCanonicalError } from "../cards/canonical-json.ts";
import type { Operation } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Json } from "../protocol/model.ts";
import type { RequestKey } from "../tasks/request-key.ts";

const FIELD = "Idempotency-Key";
const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/**
 * The key of a request that sends a message, from its header, with a digest of what is asked: the same params are the
 * same request, whatever the order of their members, whether they are sent or streamed.
 */
export function requestKeyOf(
  operation: Operation | undefined,
  header: string | undefined,
  params: unknown,
): RequestKey | undefined {
  if (header === undefined || (operation !== "send" && operation !== "stream")) return undefined;
  if (!VISIBLE.test(header)) {
    throw new A2AError("InvalidParams", `${FIELD} must be 1 to 255 visible ASCII characters`, {
      field: FIELD,
    });
  }
  return { key: header, hash: digest(params as Json) };
}

function digest(params: Json): string {
  try {
    // A text that is not Unicode counts as its JSON, which is.
    const text = JSON.stringify(params ?? null);
    const isUnicode = !/\\ud[89a-f]/.test(text);
    const clear = isUnicode ? params : (JSON.parse(text, asUnicode) as Json);
    return createHash("sha256").update(canonicalJson(clear)).digest("base64url");
  } catch (error) {
    if (!(error instanceof NotCanonicalError)) throw error;
    throw new A2AError("InvalidParams", `A request with an ${FIELD} must be Unicode text`, {
      field: "params",
    });
  }
}

function asUnicode(_: string, value: unknown): unknown {
  return typeof value === "string" && !value.isWellFormed() ? JSON.stringify(value) : value;
}
