import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "../start-error.ts";

export interface ListenAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** How to choose another port; by default with PORT. */
  readonly advice?: string;
}

/** Listens and returns the port; throws a `StartError`. */
export async function listen(server: Server, { host, port, advice }: ListenAddress): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, port, advice);
  }
  return (server.address() as AddressInfo).port;
}

function explain(error: NodeJS.ErrnoException, port: number, advice = otherPort(port)): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new StartError(`Port ${port} is in use by another program; stop it, or ${advice}`);
    case "EACCES":
      return new StartError(`Port ${port} is reserved by the system; use one above 1023: ${advice}`);
    default:
      return error;
  }
}

function otherPort(port: number): string {
  return `choose another port with PORT=${port > 1_023 && port < 65_535 ? port + 1 : 8_000}`;
}

const CLOSE_CONNECTIONS_AFTER_MS = 500;

/** Stops accepting connections and closes open ones after a moment; also for a server that never listened. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_CONNECTIONS_AFTER_MS);
  await closed;
  clearTimeout(timer);
}
