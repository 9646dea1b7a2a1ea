import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { ErrorAnswer } from "./answer-parts.ts";
import { canonicalTarget } from "./request-target.ts";

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const OTHER_SITE: ErrorAnswer = {
  ...{ status: 403, code: "origin_not_allowed", message: "Requests from pages of other sites are refused" },
};
const METHODS_WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
const JSON_TYPE = /^application\/([\w.-]+\+)?json *(;|$)/i;

/** The checks in their order; the first that objects gives the answer. */
const CHECKS = [checkTarget, checkHost, checkOrigin, checkSite];

export interface RequestChecks {
  /** By which names a server is reached beside those of loopback, without ports; "*": by any IP address too. */
  readonly hosts?: readonly string[];
  /** Other origins whose pages may ask. */
  readonly origins?: readonly string[];
  /** Paths whose routes refuse bodies that are not JSON by themselves, in the words of their own protocol. */
  readonly checksType?: (path: string) => boolean;
}

/**
 * Why a request is refused that a web page elsewhere could make a browser send us: by a name that only points
 * here (Host), by another site's script (Origin) or markup (Sec-Fetch-Site), by a form (content type). Without
 * this any page could drive tools on this machine. Undefined: it is welcome.
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

/**
 * Whether a body is of a type that no form has. What has neither a body nor a type cannot come from a form, which always
 * has a type; what a page's script sends without either comes with its Origin. So nothing is lost by asking a type of
 * bodies, and of types, alone.
 */
export function isOfJson({ method = "", headers }: IncomingMessage): boolean {
  const hasBody = Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
  const isTyped = headers["content-type"] !== undefined && METHODS_WITH_BODY.has(method);
  return (!hasBody && !isTyped) || JSON_TYPE.test(headers["content-type"] ?? "");
}

/** What to say to whoever sent something else. */
export function needsJson({ method = "" }: IncomingMessage): string {
  return `A ${method} request needs the header Content-Type: application/json`;
}

// A target with a host of its own would outrank the Host header that we check.
function checkTarget({ url = "" }: IncomingMessage): ErrorAnswer | undefined {
  const code = "malformed_request";
  if (!url.startsWith("/")) return { status: 400, code, message: "The request's target must be a path" };
  if (canonicalTarget(url) !== undefined) return undefined;
  const message = "The path must not have segments like .., malformed escapes, a backslash or a fragment";
  return { status: 400, code, message };
}

function checkHost(request: IncomingMessage, { hosts = [] }: RequestChecks): ErrorAnswer | undefined {
  if (isRepeated(request, "host") || isRepeated(request, "content-type")) {
    const message = "Host and Content-Type may be there only once";
    return { status: 400, code: "malformed_request", message };
  }
  const { host = "" } = request.headers;
  if (LOOPBACK_HOST.test(host) || isNamed(host, hosts)) return undefined;
  const message =
    hosts.length === 0
      ? "This server answers to localhost, 127.0.0.1 and [::1] only"
      : "This server does not answer to that name: its operator names those it has with PARLEY_HOSTS";
  return { status: 403, code: "host_not_allowed", message };
}

// No page can make a browser take an address for another's name.
function isNamed(host: string, hosts: readonly string[]): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? "";
  if (name === "" || !/^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(host)) return false;
  return hosts.includes(name) || (hosts.includes("*") && isIP(name.replace(/^\[|\]$/g, "")) !== 0);
}

function checkOrigin(request: IncomingMessage, { origins = [] }: RequestChecks): ErrorAnswer | undefined {
  const { host, origin } = request.headers;
  // What is in front of us may speak TLS for us.
  if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) return undefined;
  return origins.includes(origin) ? undefined : OTHER_SITE;
}

// Browsers say whose markup made them ask; a link that was followed to us is fine.
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
