import type { IncomingMessage } from "node:http";
import { majorMinorOf } from "../dialects/choose-dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { Trace } from "../tracing/trace.ts";
import { namedExtensions } from "./extensions.ts";

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

/** The index after which the caller goes on. */
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

// Node joins the values of a header that comes twice, so that such a key is none.
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
