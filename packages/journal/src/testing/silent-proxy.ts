import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server that can fall silent: connections stay open, and nothing comes through. */
export interface SilentProxy {
  /** The same address, by way of the proxy. */
  readonly url: string;
  silence(silent: boolean): void;
  close(): void;
}

export async function silentProxy(url: string): Promise<SilentProxy> {
  const target = new URL(url);
  let silent = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => silent || to.write(data));
      from.on("close", () => to.destroy());
      from.on("error", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: own.href,
    silence: (now) => {
      silent = now;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
