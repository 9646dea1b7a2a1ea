import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, getCACertificates } from "node:tls";
import { EgressConnectionError, EgressRefusedError } from "./egress-errors.ts";
import type { EgressTarget } from "./egress-target.ts";
import { parseAddress } from "./ip-address.ts";

/** How long an address may keep the next one of the same name waiting. */
const ADDRESS_TIMEOUT_MS = 2_000;

export interface PinnedConnectionOptions {
  readonly signal: AbortSignal;
  readonly certificateAuthorities?: readonly string[] | undefined;
}

/** Connects to an address that was checked, asking no resolver and no proxy; TLS is for the name. */
export async function connectPinned(target: EgressTarget, options: PinnedConnectionOptions): Promise<Socket> {
  const socket = await connectToFirst(target, options.signal);
  if (target.url.protocol === "http:") return socket;
  // A certificate names a host without the dot that ends a full name, and SNI knows no addresses.
  const name = target.host.replace(/\.$/, "");
  const secure = connectTls({
    socket,
    host: name,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...(options.certificateAuthorities === undefined
      ? {}
      : { ca: [...getCACertificates("default"), ...options.certificateAuthorities] }),
    ALPNProtocols: ["http/1.1"],
    // Said aloud, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise take it away.
    rejectUnauthorized: true,
  });
  try {
    await ready(secure, "secureConnect", options.signal);
    return secure;
  } catch (error) {
    socket.destroy();
    throw options.signal.aborted
      ? options.signal.reason
      : new EgressConnectionError(target.url.origin, error);
  }
}

async function connectToFirst(target: EgressTarget, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const [index, address] of target.addresses.entries()) {
    const isLast = index === target.addresses.length - 1;
    const attempt = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(ADDRESS_TIMEOUT_MS)]);
    try {
      return await connectTo(address, target.port, attempt);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw new EgressConnectionError(target.url.origin, failure);
}

async function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host: address, port, noDelay: true });
  await ready(socket, "connect", signal);
  try {
    // A peer that is gone already has no address any more.
    assertPeer(address, socket.remoteAddress);
    return socket;
  } catch (error) {
    abandon(socket);
    throw error;
  }
}

/** Closes an abandoned socket; its late errors must not crash the process. */
function abandon(socket: Socket): void {
  socket.on("error", () => undefined).destroy();
}

/** Throws unless the peer that the kernel reports is the address that was checked. */
export function assertPeer(checked: string, peer: string | undefined): void {
  const expected = parseAddress(checked);
  const actual = parseAddress(peer ?? "");
  const same =
    expected !== undefined && expected.family === actual?.family && expected.value === actual.value;
  if (!same) {
    throw new EgressRefusedError("address", `The connection to ${checked} reached another address`);
  }
}

/** Waits for the event; otherwise the socket is destroyed. */
async function ready(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  socket.once(event, resolve).once("error", reject);
  socket.once("close", () => reject(new Error("The connection was closed")));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } catch (error) {
    abandon(socket);
    throw error;
  } finally {
    socket.off("error", reject);
    signal.removeEventListener("abort", onAbort);
  }
}
