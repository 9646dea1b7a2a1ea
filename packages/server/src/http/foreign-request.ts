import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { ErrorAnswer } from "./answer-parts.ts";
import { canonicalTarget } from "./request-target.ts";

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const OTHER_SITE: ErrorAnswer = {
  status: 403,
  code: "origin_not_allowed",
  message: "Requests from pages of other sites are refused",
};
const METHODS_WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
const JSON_TYPE = /^application\/([\w.-]+\+)?json *(;|$)/i;

const CHECKS = [checkTarget, checkHost, checkOrigin, checkSite];

export interface RequestChecks {
  /** Host names of the server besides loopback, without ports; "*" for any IP address. */
  readonly hosts?: readonly string[];
  /** Other origins whose pages may send requests. */
  readonly origins?: readonly string[];
  /** Paths whose routes check the content type themselves. */
  readonly checksType?: (path: string) => boolean;
}

/**
 * Refuses requests that a page of another site could make a browser send: by DNS rebinding (Host), by script (Origin), by
 * markup (Sec-Fetch-Site) or by a form (content type). Otherwise any page could use the tools on this machine.
 */
export function foreignRequest(
  request: IncomingMessage,
  checks: RequestChecks = {},
): ErrorAnswer | undefined {
  const { checksType = () => false } = checks;
  for (const check of CHECKS) {
    const refused = check(request, checks);
    if (refused) return refused;
  }
  const [path = ""] = (request.url ?? "").split("?");
  if (checksType(path) || isOfJson(request)) return undefined;
  return { status: 415, code: "content_type_not_supported", message: needsJson(request) };
}

/** Whether a request is JSON or has neither a body nor a type: forms always have a type, which is never JSON. */
export function isOfJson({ method = "", headers }: IncomingMessage): boolean {
  const hasBody = Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
  const isTyped = headers["content-type"] !== undefined && METHODS_WITH_BODY.has(method);
  return (!hasBody && !isTyped) || JSON_TYPE.test(headers["content-type"] ?? "");
}

/** The error for bodies of another type. */
export function needsJson({ method = "" }: IncomingMessage): string {
  return `A ${method} request needs the header Content-Type: application/json`;
}

// An absolute target would override the Host header.
function checkTarget({ url = "" }: IncomingMessage): ErrorAnswer | undefined {
  const code = "malformed_request";
  if (!url.startsWith("/")) return { status: 400, code, message: "The request target must be a path" };
  if (canonicalTarget(url) !== undefined) return undefined;
  const message = "The path must not have dot segments, malformed escapes, backslashes or a fragment";
  return { status: 400, code, message };
}

function checkHost(request: IncomingMessage, { hosts = [] }: RequestChecks): ErrorAnswer | undefined {
  if (isRepeated(request, "host") || isRepeated(request, "content-type")) {
    const message = "Host and Content-Type must not be repeated";
    return { status: 400, code: "malformed_request", message };
  }
  const { host = "" } = request.headers;
  if (LOOPBACK_HOST.test(host) || isNamed(host, hosts)) return undefined;
  const message =
    hosts.length === 0
      ? "This server answers only to localhost, 127.0.0.1 and [::1]"
      : "This server does not answer to that host name; add it to PARLEY_HOSTS";
  return { status: 403, code: "host_not_allowed", message };
}

// IP addresses are safe: DNS rebinding needs a name.
function isNamed(host: string, hosts: readonly string[]): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? "";
  if (name === "" || !/^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(host)) return false;
  return hosts.includes(name) || (hosts.includes("*") && isIP(name.replace(/^\[|\]$/g, "")) !== 0);
}

function checkOrigin(request: IncomingMessage, { origins = [] }: RequestChecks): ErrorAnswer | undefined {
  const { host, origin } = request.headers;
  // A proxy may terminate TLS.
  if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) return undefined;
  return origins.includes(origin) ? undefined : OTHER_SITE;
}

// Following a link to us is allowed; embedding is not.
function checkSite(
  { method, headers }: IncomingMessage,
  { origins = [] }: RequestChecks,
): ErrorAnswer | undefined {
  const site = headers["sec-fetch-site"];
  if (headers.origin !== undefined && origins.includes(headers.origin)) return undefined;
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  const isNavigation = method === "GET" && headers["sec-fetch-mode"] === "navigate";
  const isFramed = headers["sec-fetch-dest"] !== "document";
  return isNavigation && !isFramed ? undefined : OTHER_SITE;
}

function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  const times = rawHeaders.filter((header, position) => position % 2 === 0 && header.toLowerCase() === name);
  return times.length > 1;
}
