import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems hand out to whoever asks for any. */
const FIRST = 20_000;
const LAST = 30_000;

/** Returns a loopback port that nobody listens on at this moment, nor on the `count` ports after it. */
export async function freePortRange(count: number): Promise<number> {
  for (;;) {
    const first = FIRST + Math.floor(Math.random() * (LAST - FIRST - count));
    const ports = Array.from({ length: count + 1 }, (_, offset) => first + offset);
    const free = await Promise.all(ports.map(isFree));
    if (free.every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
