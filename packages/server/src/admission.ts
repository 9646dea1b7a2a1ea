import { isIP } from "node:net";
import { type Cidr, parseCidrList } from "@parley/a2a";
import type { Environment } from "@parley/models";
import { StartError } from "./start-error.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
const ANY_ADDRESS = "*";

/** Who may come to the main port, and as whom. */
export interface Admission {
  /** Whether whoever comes must show who they are. */
  readonly isRequired: boolean;
  /** Nobody must, although others than this machine can come: the operator wants it so. */
  readonly isInsecure: boolean;
  /** Names by which the main port is reached beside those of loopback; "*": any IP address. */
  readonly hosts: readonly string[];
  /** Other origins whose pages may use the API. */
  readonly origins: readonly string[];
  /** Where others reach the main port, as cards say it; undefined: at its own address. */
  readonly publicUrl: string | undefined;
  /** Whether the card, which is for everybody, names the agents that we know. */
  readonly listsAgents: boolean;
  /** Proxies whose word about their client's address is taken. */
  readonly trustedProxies: readonly Cidr[];
}

/** Reads `PARLEY_HOST`, `PARLEY_AUTH`, `PARLEY_HOSTS`, `PARLEY_ORIGINS`, `PARLEY_PUBLIC_URL`, `PARLEY_CARD_AGENTS` and `PARLEY_TRUSTED_PROXIES`; throws a `StartError` that says what is wrong. */
export function readAdmission(environment: Environment): Admission {
  const host = environment.PARLEY_HOST || "127.0.0.1";
  if (isIP(host) === 0 && host !== "localhost")
    throw new StartError(`PARLEY_HOST must be an address of this machine, such as 0.0.0.0, not ${host}`);
  const isLocal = LOOPBACK.test(host);
  // Who names a provider wants people to sign in.
  const isOpen = isLocal && !environment.PARLEY_OIDC_ISSUER;
  const wish = environment.PARLEY_AUTH || (isOpen ? "off" : "on");
  if (wish !== "on" && wish !== "off" && wish !== "insecure")
    throw new StartError(`PARLEY_AUTH must be on or off, not ${JSON.stringify(wish)}`);
  if (wish === "off" && !isLocal)
    throw new StartError(
      `With PARLEY_HOST=${host} others can reach Parley, so PARLEY_AUTH must not be off: leave it out, or start with --insecure`,
    );
  const named = listed(environment.PARLEY_HOSTS).map((name) => hostName(name));
  const publicUrl = environment.PARLEY_PUBLIC_URL ? publicAddress(environment.PARLEY_PUBLIC_URL) : undefined;
  return {
    isRequired: wish === "on",
    isInsecure: wish === "insecure" && !isLocal,
    hosts: [...named, ...(publicUrl ? [new URL(publicUrl).hostname] : []), ...(isLocal ? [] : [ANY_ADDRESS])],
    origins: listed(environment.PARLEY_ORIGINS).map((text) => origin(text)),
    publicUrl,
    listsAgents: isOn("PARLEY_CARD_AGENTS", environment.PARLEY_CARD_AGENTS),
    trustedProxies: addressBlocks("PARLEY_TRUSTED_PROXIES", environment.PARLEY_TRUSTED_PROXIES),
  };
}

/** Reads a setting that is on or off; throws a `StartError`. */
export function isOn(name: string, value = ""): boolean {
  if (["on", "off", ""].includes(value)) return value === "on";
  throw new StartError(`${name} must be on or off, not ${JSON.stringify(value)}`);
}

/** Reads a setting that lists blocks of addresses; throws a `StartError`. */
export function addressBlocks(name: string, text = ""): readonly Cidr[] {
  try {
    return parseCidrList(text);
  } catch (error) {
    throw new StartError(`${name} cannot be read: ${(error as Error).message}`);
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

/** Where others reach us, without a slash at its end; throws a `StartError`. */
export function publicAddress(text: string): string {
  const url = URL.parse(text);
  const path = url?.pathname.replace(/\/$/, "") ?? "";
  // Pages are below `/s` and `/docs`, whether a proxy strips this path or not.
  const isPlain = /^(\/(?!(s|docs)(\/|$))[\w.~-]+)*$/.test(path);
  if (url && /^https?:$/.test(url.protocol) && isPlain && url.href.replace(/\/$/, "") === url.origin + path)
    return url.origin + path;
  throw new StartError(
    "PARLEY_PUBLIC_URL must be an origin, such as https://parley.example, or a path there, such as https://example.com/parley",
  );
}

/** The path below which others see us; "" where that is the root. */
export function basePathOf({ publicUrl }: Pick<Admission, "publicUrl">): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}
