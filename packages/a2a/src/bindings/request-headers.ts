import type { IncomingMessage } from "node:http";
import { A2AError } from "../protocol/errors.ts";

/** The version that the caller asks for, by header or query. */
export function requestedVersion(request: IncomingMessage): string | undefined {
  const header = request.headers["a2a-version"];
  const named = Array.isArray(header) ? header[0] : header;
  const [, query = ""] = (request.url ?? "").split("?");
  return named || new URLSearchParams(query).get("A2A-Version") || undefined;
}

/** The index after which the caller goes on. */
export function lastEventId(request: IncomingMessage): number | undefined {
  const header = request.headers["last-event-id"];
  if (header === undefined || header === "") return undefined;
  const index = Number(header);
  // By its digits: Number alone would also take 0x10 and 1e3.
  if (/^\d+$/.test(String(header)) && Number.isSafeInteger(index)) return index;
  throw new A2AError("InvalidParams", "Last-Event-ID must be an id of this stream", {
    field: "Last-Event-ID",
  });
}
