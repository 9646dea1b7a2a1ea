import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { canonicalJson, NotCanonicalError } from "../cards/canonical-json.ts";
import { majorMinorOf } from "../dialects/choose-dialect.ts";
import type { Operation } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Json } from "../protocol/model.ts";
import type { RequestKey } from "../tasks/intake/request-keys.ts";
import { Trace } from "../tracing/trace.ts";

/** The version that the caller asks for, by header or query. */
export function requestedVersion(request: IncomingMessage): string | undefined {
  const [, query = ""] = (request.url ?? "").split("?");
  return header(request, "a2a-version") || new URLSearchParams(query).get("A2A-Version") || undefined;
}

/** The extensions that the caller names, under the header's name of v1.0 or that of v0.3. */
export function requestedExtensions(request: IncomingMessage): string[] {
  return namedExtensions(["a2a-extensions", "x-a2a-extensions"].map((name) => header(request, name) ?? ""));
}

/** The key under which the caller may repeat its request. */
export function idempotencyKey(request: IncomingMessage): string | undefined {
  return header(request, "idempotency-key");
}

/** The place in a trace from which the caller calls. */
export function traceparent(request: IncomingMessage): string | undefined {
  return Trace.from(header(request, "traceparent")).traceparent;
}

/** The index after which the caller resumes. */
export function lastEventId(request: IncomingMessage): number | undefined {
  const text = header(request, "last-event-id");
  if (text === undefined || text === "") return undefined;
  const index = Number(text);
  // By its digits: Number alone would also take 0x10 and 1e3.
  if (/^\d+$/.test(text) && Number.isSafeInteger(index)) return index;
  throw new A2AError("InvalidParams", "Last-Event-ID must be an id of this stream", {
    field: "Last-Event-ID",
  });
}

// Node joins the values of a repeated header, which makes such a key invalid.
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Refuses a version other than the one that is spoken here; none at all and any patch of it are fine. */
export function checkVersion(version: string | undefined, supported: string): void {
  const asked = version?.trim();
  if (!asked || majorMinorOf(asked) === supported) return;
  const message = `A2A version ${asked} is not supported here; supported is ${supported}`;
  throw new A2AError("VersionNotSupported", message, { version: asked, supported });
}

const SUPPORTED = ["application/json", "application/a2a+json"];

/** Refuses a body that does not say it is JSON, before it is read: a page elsewhere can make a browser send such. */
export function checkContentType({ headers }: IncomingMessage): void {
  const declared = headers["content-type"];
  const hasBody = Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
  if (declared === undefined && !hasBody) return;
  const [mediaType = ""] = (declared ?? "").toLowerCase().split(";");
  if (SUPPORTED.includes(mediaType.trim())) return;
  const supported = SUPPORTED.join(", ");
  const message = `The body must be JSON and Content-Type say so: ${supported}, not ${declared ?? "nothing"}`;
  throw new A2AError("ContentTypeNotSupported", message, { contentType: declared ?? "", supported });
}

const FIELD = "Idempotency-Key";
const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** The idempotency key of a send with a digest of its params; the order of members does not matter. */
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

/** The extensions that headers of a request name, each once. */
export function namedExtensions(headers: readonly string[]): string[] {
  const named = headers.flatMap((text) => text.split(","));
  return [...new Set(named.map((uri) => uri.trim()).filter((uri) => uri !== ""))];
}
