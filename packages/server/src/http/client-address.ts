import type { IncomingMessage } from "node:http";
import { addressBlockHas, type Cidr, parseAddress } from "@parley/a2a";

const addresses = new WeakMap<IncomingMessage, string>();

/** The address of a request's client; behind a trusted proxy, of the proxy's client. */
export function clientAddressOf(request: IncomingMessage): string {
  return addresses.get(request) ?? plainAddress(request.socket.remoteAddress);
}

/** Finds the client address of a request: reads `X-Forwarded-For` from its end for as long as the proxies are trusted. */
export function noteClientAddress(request: IncomingMessage, trusted: readonly Cidr[] = []): void {
  const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
  let address = plainAddress(request.socket.remoteAddress);
  while (forwarded.length > 0 && isOneOf(trusted, address)) {
    const before = plainAddress(forwarded.pop()?.trim());
    if (!parseAddress(before)) break;
    address = before;
  }
  addresses.set(request, address);
}

/** Whether an address is in one of these blocks. */
export function isOneOf(blocks: readonly Cidr[], address: string): boolean {
  const parsed = blocks.length > 0 ? parseAddress(address) : undefined;
  return parsed !== undefined && blocks.some((block) => addressBlockHas(block, parsed));
}

/** The addresses that one caller may have: a single IPv4 address, or an IPv6 network of 64 bits. */
export function networkOf(address: string): string {
  const parsed = address.includes(":") ? parseAddress(address) : undefined;
  return parsed ? `${(parsed.value >> 64n).toString(16)}::/64` : address;
}

/** Without a port, brackets, or the form in which IPv6 sockets write IPv4. */
function plainAddress(text = ""): string {
  const [, bracketed] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? [];
  const [, quad] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(text) ?? [];
  return bracketed ?? quad ?? text;
}
