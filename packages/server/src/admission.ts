import { isIP } from "node:net";
import { type Cidr, parseCidrList } from "@parley/a2a";
import type { Environment } from "@parley/models";
import { StartError } from "./start-error.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
const ANY_ADDRESS = "*";

/** Who may use the main port, and how it is reached. */
export interface Admission {
  /** Whether requests must be authenticated. */
  readonly isRequired: boolean;
  /** Open to other machines without authentication, by `--insecure`. */
  readonly isInsecure: boolean;
  /** Host names of the main port besides loopback; "*" for any IP address. */
  readonly hosts: readonly string[];
  /** Other origins whose pages may use the API. */
  readonly origins: readonly string[];
  /** The public URL of the main port, for agent cards. */
  readonly publicUrl: string | undefined;
  /** Whether the public card lists the known agents. */
  readonly listsAgents: boolean;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly Cidr[];
}

/** Reads `PARLEY_HOST`, `PARLEY_AUTH`, `PARLEY_HOSTS`, `PARLEY_ORIGINS`, `PARLEY_PUBLIC_URL`, `PARLEY_CARD_AGENTS` and `PARLEY_TRUSTED_PROXIES`; throws a `StartError`. */
export function readAdmission(environment: Environment): Admission {
  const host = environment.PARLEY_HOST || "127.0.0.1";
  if (isIP(host) === 0 && host !== "localhost")
    throw new StartError(`PARLEY_HOST must be an IP address of this machine, such as 0.0.0.0, not ${host}`);
  const isLocal = LOOPBACK.test(host);
  // With an identity provider, people have to sign in.
  const isOpen = isLocal && !environment.PARLEY_OIDC_ISSUER;
  const auth = environment.PARLEY_AUTH || (isOpen ? "off" : "on");
  if (auth !== "on" && auth !== "off" && auth !== "insecure")
    throw new StartError(`PARLEY_AUTH must be on or off, not ${JSON.stringify(auth)}`);
  if (auth === "off" && !isLocal)
    throw new StartError(
      `PARLEY_AUTH must not be off with PARLEY_HOST=${host}, which others can reach; unset it, or start with --insecure`,
    );
  const named = listed(environment.PARLEY_HOSTS).map((name) => hostName(name));
  const publicUrl = environment.PARLEY_PUBLIC_URL ? publicAddress(environment.PARLEY_PUBLIC_URL) : undefined;
  return {
    isRequired: auth === "on",
    isInsecure: auth === "insecure" && !isLocal,
    hosts: [...named, ...(publicUrl ? [new URL(publicUrl).hostname] : []), ...(isLocal ? [] : [ANY_ADDRESS])],
    origins: listed(environment.PARLEY_ORIGINS).map((text) => origin(text)),
    publicUrl,
    listsAgents: isOn("PARLEY_CARD_AGENTS", environment.PARLEY_CARD_AGENTS),
    trustedProxies: addressBlocks("PARLEY_TRUSTED_PROXIES", environment.PARLEY_TRUSTED_PROXIES),
  };
}

/** Parses a setting that is on or off; throws a `StartError`. */
export function isOn(name: string, value = ""): boolean {
  if (["on", "off", ""].includes(value)) return value === "on";
  throw new StartError(`${name} must be on or off, not ${JSON.stringify(value)}`);
}

/** Parses a list of CIDR blocks; throws a `StartError`. */
export function addressBlocks(name: string, text = ""): readonly Cidr[] {
  try {
    return parseCidrList(text);
  } catch (error) {
    throw new StartError(`${name} is invalid: ${(error as Error).message}`);
  }
}

function listed(text = ""): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function hostName(text: string): string {
  const name = URL.parse(`http://${text}`);
  if (
    name &&
    name.host === name.hostname &&
    name.pathname === "/" &&
    name.username === "" &&
    !/[/*?#]|:\d*$/.test(text)
  )
    return name.hostname;
  throw new StartError(
    `PARLEY_HOSTS must list names without ports, such as parley.example, not ${JSON.stringify(text)}`,
  );
}

function origin(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.origin === text) return text;
  throw new StartError(
    `PARLEY_ORIGINS must list origins, such as https://app.example, not ${JSON.stringify(text)}`,
  );
}

/** Parses `PARLEY_PUBLIC_URL`, without a trailing slash; throws a `StartError`. */
export function publicAddress(text: string): string {
  const url = URL.parse(text);
  const path = url?.pathname.replace(/\/$/, "") ?? "";
  // The web client uses `/s` and `/docs`, whether or not a proxy strips this path.
  const isPlain = /^(\/(?!(s|docs)(\/|$))[\w.~-]+)*$/.test(path);
  if (url && /^https?:$/.test(url.protocol) && isPlain && url.href.replace(/\/$/, "") === url.origin + path)
    return url.origin + path;
  throw new StartError(
    "PARLEY_PUBLIC_URL must be an origin, such as https://parley.example, or a path there, such as https://example.com/parley",
  );
}

/** The path of the public URL; "" for the root. */
export function basePathOf({ publicUrl }: Pick<Admission, "publicUrl">): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}
