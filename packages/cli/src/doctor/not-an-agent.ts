import { EgressTimeoutError, HostNotFoundError } from "@parley/a2a/checks";
import type { Examination } from "./examination.ts";
import type { Exchange } from "./exchange.ts";
import { cards } from "./probes/cards.ts";
import { spokenDialects } from "./probes/ways.ts";

/** Why there is no agent to examine, in one sentence; nothing where there is one. */
export async function notAnAgent(examination: Examination): Promise<string | undefined> {
  const { url } = examination.options;
  const { modern, first, asked } = await cards(examination);
  if (modern || first) return undefined;
  const [answered] = asked.filter(({ exchange }) => exchange.status > 0);
  const [refused] = asked;
  if (!answered) return refused && unreachable(url, refused.exchange);
  const { exchange, place } = answered;
  // A card that is too large is one all the same: the checks say so.
  if (exchange.failure !== undefined && exchange.status === 200) return undefined;
  if ((await spokenDialects(examination, url.href)).length > 0) return undefined;
  const { status, headers, contentType } = exchange;
  if (status === 401 || status === 403)
    return `${place.href} wants authentication (HTTP ${status}): give it with --header "Authorization: Bearer …"`;
  const location = headers.get("location");
  if (status >= 300 && status < 400)
    return `${url.origin} sends its callers elsewhere (HTTP ${status}): try parley doctor ${target(location, place)}`;
  if (status >= 500) return `What is at ${url.origin} fails (HTTP ${status} for its card): look into its log`;
  const what = contentType.startsWith("text/html")
    ? "a web page"
    : status === 200
      ? `${contentType || "something"} that is no card`
      : `HTTP ${status}`;
  return `There is no A2A agent at ${url.href}: ${place.pathname} is ${what}, and nothing answers JSON-RPC there; name the agent's base URL or its card`;
}

function unreachable({ origin, hostname, protocol }: URL, { cause, failure }: Exchange): string {
  if (cause instanceof HostNotFoundError) return `${hostname} is not a name of any host: check the address`;
  if (cause instanceof EgressTimeoutError)
    return `${origin} does not answer in time: check the address, or give it longer with --timeout`;
  const code = codeOf(cause);
  if (code === "ECONNREFUSED") return `Nothing listens at ${origin}: start the agent, or check the port`;
  if (protocol === "https:" && /CERT|SIGNATURE|TLS|SSL|EPROTO|ALTNAME/.test(code))
    return `${origin} has no certificate that can be trusted, or does not speak TLS (${code}): try http://, or set NODE_EXTRA_CA_CERTS`;
  if (protocol === "http:" && /HPE|ECONNRESET|EPIPE/.test(code))
    return `${origin} does not speak HTTP (${code}): try https://, or check the port`;
  return `${origin} cannot be reached: ${failure ?? "nothing answers"}`;
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** The base URL behind a redirect of the card. */
function target(location: string | null, place: URL): string {
  const to = location === null ? null : URL.parse(location, place.href);
  return to ? to.href.replace(/\/\.well-known\/agent(-card)?\.json$/, "") : "the address that it names";
}
