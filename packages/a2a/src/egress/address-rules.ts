import { domainToASCII } from "node:url";
import { type Cidr, contains, parseAddress, parseCidr, parseCidrList } from "./ip-address.ts";

interface RefusedRange {
  readonly block: Cidr;
  readonly name: string;
}

/** The first range that holds an address names it, so the narrow ones come before the wide ones. */
const refusedRanges: readonly RefusedRange[] = (
  [
    ["0.0.0.0/8", "this network"],
    ["10.0.0.0/8", "private"],
    ["100.64.0.0/10", "carrier-grade NAT"],
    ["127.0.0.0/8", "loopback"],
    ["169.254.0.0/16", "link-local (cloud metadata lives here)"],
    ["172.16.0.0/12", "private"],
    ["192.0.0.0/24", "protocol assignments"],
    ["192.0.2.0/24", "documentation"],
    ["192.88.99.0/24", "6to4 relays"],
    ["192.168.0.0/16", "private"],
    ["198.18.0.0/15", "benchmarking"],
    ["198.51.100.0/24", "documentation"],
    ["203.0.113.0/24", "documentation"],
    ["224.0.0.0/4", "multicast"],
    ["255.255.255.255/32", "broadcast"],
    ["240.0.0.0/4", "reserved"],
    ["::/128", "unspecified"],
    ["::1/128", "loopback"],
    ["::/96", "IPv4-compatible"],
    ["::ffff:0:0/96", "IPv4-mapped"],
    ["::ffff:0:0:0/96", "IPv4-translated"],
    ["64:ff9b::/96", "NAT64"],
    ["64:ff9b:1::/48", "local NAT64"],
    ["100::/64", "discard"],
    ["2001::/32", "Teredo"],
    ["2001::/23", "protocol assignments"],
    ["2001:db8::/32", "documentation"],
    ["2002::/16", "6to4"],
    ["3fff::/20", "documentation"],
    ["fc00::/7", "unique local (private)"],
    ["fe80::/10", "link-local"],
    ["fec0::/10", "site-local"],
    ["ff00::/8", "multicast"],
  ] as const
).map(([block, name]) => ({ block: parseCidr(block), name }));

/** Everything in use on the public IPv6 internet; what lies outside is reserved, whatever it may become. */
const globalUnicast = parseCidr("2000::/3");

/** The loopback blocks, for a platform that only its own machine can reach, and for tests. */
export const loopbackBlocks: readonly Cidr[] = parseCidrList("127.0.0.0/8, ::1");

/** Why nobody outside may make us connect to this address, or undefined when it is a public one. */
export function refusedRange(address: string): string | undefined {
  const parsed = parseAddress(address);
  if (parsed === undefined) return "not a plain IP address";
  const range = refusedRanges.find(({ block }) => contains(block, parsed));
  if (range !== undefined) return range.name;
  return parsed.family === 6 && !contains(globalUnicast, parsed) ? "reserved" : undefined;
}

/** Whether one of the blocks holds the address; mapped spellings are not unwrapped, each family stands for itself. */
export function isAllowed(address: string, allow: readonly Cidr[]): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && allow.some((block) => contains(block, parsed));
}

/** A host name in the one spelling in which names are compared: punycode, lower case, no trailing dot. */
export function canonicalHost(name: string): string {
  return domainToASCII(name).toLowerCase().replace(/\.$/, "");
}
