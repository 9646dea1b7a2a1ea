import { lookup as systemLookup } from "node:dns/promises";
import type { Cidr } from "./ip-address.ts";

/** All addresses of a name; `/etc/hosts` counts, because the system's resolver is asked by default. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export const defaultLimits = {
  /** Milliseconds for name, TCP and TLS together. */
  connect: 10_000,
  /** Milliseconds until the response's headers are there. */
  headers: 30_000,
  /** Milliseconds between two pieces of the body. */
  idle: 30_000,
  /** Milliseconds for the whole exchange, body included. */
  total: 60_000,
  responseBytes: 1_048_576,
};

/** How long and how much; `Infinity` takes a limit away, which streams do with `total` and `responseBytes`. */
export type EgressLimits = Readonly<typeof defaultLimits>;

/** What may be reached and how; the empty policy reaches public addresses by https alone. */
export interface EgressPolicy {
  /** Blocks that are reachable although private, and by plain http; from `PARLEY_EGRESS_ALLOW`. */
  readonly allow?: readonly Cidr[];
  /** Origins from the operator's own files, like `http://agents.internal:8001`: any address, http too. */
  readonly allowOrigins?: readonly string[];
  readonly lookup?: Lookup;
  readonly limits?: Partial<EgressLimits>;
  /** Certificates to trust beside the system's, in PEM. */
  readonly certificateAuthorities?: readonly string[];
}

/** The limits for a response that is read as it comes, for hours if need be. */
export const streamLimits: EgressLimits = {
  ...defaultLimits,
  idle: 60_000,
  total: Number.POSITIVE_INFINITY,
  responseBytes: Number.POSITIVE_INFINITY,
};

const underway = new Map<string, Promise<readonly string[]>>();

/** Asks the system, as a connection without a guard would; who asks while it is being asked shares the answer. */
export const resolveBySystem: Lookup = (hostname) => {
  let asked = underway.get(hostname);
  if (!asked) {
    asked = addresses(hostname).finally(() => underway.delete(hostname));
    underway.set(hostname, asked);
  }
  return asked;
};

async function addresses(hostname: string): Promise<readonly string[]> {
  const found = await systemLookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
