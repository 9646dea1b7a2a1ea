import { isIP } from "node:net";
import { canonicalHost, isAllowed, refusedRange } from "./address-rules.ts";
import { EgressRefusedError, HostNotFoundError } from "./egress-errors.ts";
import { defaultLimits, type EgressPolicy, resolveBySystem } from "./egress-policy.ts";
import { ExchangeLife } from "./exchange-life.ts";

/** A URL that passed, with the addresses that were checked: a connection goes to one of these or nowhere. */
export interface EgressTarget {
  readonly url: URL;
  /** The name for TLS and certificates, or the address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

/** Refuses at registration what could not be reached later either; resolves and checks, never connects. */
export async function checkTarget(url: string | URL, policy: EgressPolicy): Promise<void> {
  const life = new ExchangeLife(URL.parse(String(url))?.origin ?? "The target");
  const resolved = life.limit("resolving the name", policy.limits?.connect ?? defaultLimits.connect);
  try {
    await life.race(resolveTarget(url, policy));
  } finally {
    resolved();
  }
}

/** Resolves once and checks every address: a name with a public and a private one may be an attack. */
export async function resolveTarget(input: string | URL, policy: EgressPolicy): Promise<EgressTarget> {
  const url = parseTarget(input);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) === 0 ? await addressesOf(host, policy) : [host];
  const trusted = isTrustedOrigin(url, policy.allowOrigins ?? []);
  for (const address of addresses) {
    if (trusted || isAllowed(address, policy.allow ?? [])) continue;
    refuseUnlessPublic(url, host, address);
  }
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { url, host, port, addresses };
}

function parseTarget(input: string | URL): URL {
  const url = typeof input === "string" ? URL.parse(input) : new URL(input);
  if (url === null) throw new EgressRefusedError("invalid-url", "This is not an absolute URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new EgressRefusedError("scheme", `Only https and http URLs can be called, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new EgressRefusedError("userinfo", "A URL must not carry a user name or password; send a header");
  }
  if (url.port === "0") throw new EgressRefusedError("port", "A port is a number from 1 to 65535");
  return url;
}

async function addressesOf(host: string, policy: EgressPolicy): Promise<readonly string[]> {
  // Whatever resolves them, and whether it knows the name with a dot at its end: they are this machine (RFC 6761).
  const name = /(^|\.)localhost\.?$/.test(host) ? "localhost" : host;
  const found = await (policy.lookup ?? resolveBySystem)(name).catch((error: unknown) => {
    throw new HostNotFoundError(host, error);
  });
  if (found.length === 0) throw new HostNotFoundError(host);
  return [...new Set(found)];
}

function refuseUnlessPublic(url: URL, host: string, address: string): void {
  const where = address === host ? address : `${host} (${address})`;
  const range = refusedRange(address);
  if (range !== undefined) {
    throw new EgressRefusedError(
      "address",
      `${where} is not a public address: ${range}. Set PARLEY_EGRESS_ALLOW to a block that holds it to allow it`,
    );
  }
  if (url.protocol === "http:") {
    throw new EgressRefusedError(
      "plain-http",
      `${where} must be called by https. Set PARLEY_EGRESS_ALLOW to a block that holds it to allow http`,
    );
  }
}

/** Compares scheme, name in punycode and port. */
function isTrustedOrigin(url: URL, origins: readonly string[]): boolean {
  const own = comparableOrigin(url);
  return origins.some((origin) => {
    const other = URL.parse(origin);
    return other !== null && comparableOrigin(other) === own;
  });
}

function comparableOrigin(url: URL): string {
  // domainToASCII does not know brackets, and the URL parser has normalised an IPv6 address already.
  const host = url.hostname.startsWith("[") ? url.hostname : canonicalHost(url.hostname);
  return `${url.protocol}//${host}:${url.port}`;
}
