import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** After how many response bytes each connection breaks; undefined for never. */
export type CutPlan = (connection: number, request: string) => number | undefined;

export interface CuttingProxy {
  readonly port: number;
  /** How many connections were broken. */
  readonly cuts: () => number;
  stop(): Promise<void>;
}

/** A TCP proxy that breaks connections in the middle of an answer, at any byte, as networks do. */
export async function startCuttingProxy(targetPort: number, plan: CutPlan): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  let connections = 0;
  const server = createServer((client) => {
    const agent = connect({ host: "127.0.0.1", port: targetPort, noDelay: true });
    const connection = connections++;
    let left: number | undefined;
    const end = () => {
      client.destroy();
      agent.destroy();
    };
    for (const socket of [client, agent]) {
      sockets.add(socket);
      socket
        .setNoDelay(true)
        .on("error", end)
        .on("close", () => {
          sockets.delete(socket);
          end();
        });
    }
    client.once("data", (first) => {
      left = plan(connection, first.toString("latin1"));
    });
    client.on("data", (piece) => agent.write(piece));
    agent.on("data", (piece) => {
      if (left === undefined || piece.length < left) {
        if (left !== undefined) left -= piece.length;
        client.write(piece);
        return;
      }
      cuts++;
      agent.destroy();
      client.write(piece.subarray(0, left), () => client.destroy());
    });
    agent.on("end", () => client.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cuts: () => cuts,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
