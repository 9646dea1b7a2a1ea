import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** With their twins, below the ephemeral port range. */
const FIRST = 20_000;
const COUNT = 6_000;
/** Behind the ranges, so that they do not cut those up. */
const FIRST_SINGLE = 24_000;
/** So many claims a process keeps: it lives for hundreds of test files, and each needs its ports for a while only. */
const MAX_CLAIMS = 100;

/** What makes ports ours: their twins, on which this process listens. */
type Claim = readonly Server[];
const claims: Claim[] = [];

/** Returns a loopback port that nobody listens on; no other test gets it before this process has long done with it. */
export function freePort(): Promise<number> {
  return claimed(FIRST_SINGLE, FIRST + COUNT, 1);
}

/**
 * Returns a loopback port that nobody listens on, nor on the `count` ports after it. No other test gets one of them, so a
 * server can be ended and started again there.
 */
export function freePortRange(count: number): Promise<number> {
  return claimed(FIRST, FIRST_SINGLE, count + 1);
}

async function claimed(start: number, end: number, count: number): Promise<number> {
  for (;;) {
    const first = start + Math.floor(Math.random() * (end - start - count));
    const claim = await claimOf(Array.from({ length: count }, (_, offset) => first + offset));
    if (!claim) continue;
    claims.push(claim);
    if (claims.length > MAX_CLAIMS) await Promise.all(claims.shift()?.map(closed) ?? []);
    return first;
  }
}

/** A port belongs to who listens on its twin, which the system gives back with the process. */
async function claimOf(ports: readonly number[]): Promise<Claim | undefined> {
  const twins: Server[] = [];
  for (const port of ports) {
    const twin = await listening(port + COUNT);
    if (twin) twins.push(twin);
    const probe = twin && (await listening(port));
    if (probe) await closed(probe);
    if (probe) continue;
    await Promise.all(twins.map(closed));
    return undefined;
  }
  return twins;
}

/** Listens on a port without keeping this process alive; undefined if it is taken. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy())
    .listen(port, "127.0.0.1")
    .unref();
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}

async function closed(server: Server): Promise<void> {
  const close = once(server, "close");
  server.close();
  await close;
}
