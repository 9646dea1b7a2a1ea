import type { IncomingMessage } from "node:http";
import type { ErrorAnswer } from "./error-answer.ts";

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const METHODS_WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
const JSON_TYPE = /^application\/([\w.-]+\+)?json *(;|$)/i;

/**
 * Why a request is refused that a web page elsewhere could make a browser send us: by a name that only points
 * here (Host), by another site's script (Origin), by a form (content type). Without this any page could drive
 * tools on this machine. Undefined: it is welcome.
 */
export function foreignRequest({ method = "", headers }: IncomingMessage): ErrorAnswer | undefined {
  const { host = "", origin } = headers;
  if (!LOOPBACK_HOST.test(host)) {
    const message = "This server answers to localhost, 127.0.0.1 and [::1] only";
    return { status: 403, code: "host_not_allowed", message };
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    const message = "Requests from pages of other sites are refused";
    return { status: 403, code: "origin_not_allowed", message };
  }
  if (METHODS_WITH_BODY.has(method) && !JSON_TYPE.test(headers["content-type"] ?? "")) {
    const message = `A ${method} request needs the header Content-Type: application/json`;
    return { status: 415, code: "content_type_not_supported", message };
  }
  return undefined;
}
