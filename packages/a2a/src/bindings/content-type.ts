import type { IncomingMessage } from "node:http";
import { A2AError } from "../protocol/errors.ts";

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
