import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "../start-error.ts";

export interface ListenAddress {
  readonly host: string;
  /** 0 means any that is free. */
  readonly port: number;
  /** How another port is chosen, to end a sentence with; by default with PORT. */
  readonly advice?: string;
}

/** Listens and returns the port, or throws a `StartError` that says why it cannot. */
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
      return new StartError(`Port ${port} is taken by another program: end that one, or ${advice}`);
    case "EACCES":
      return new StartError(`Port ${port} is reserved by the system: take one above 1023, and ${advice}`);
    default:
      return error;
  }
}

function otherPort(port: number): string {
  return `choose another port with PORT=${port > 1_023 && port < 65_535 ? port + 1 : 8_000}`;
}

const CLOSE_CONNECTIONS_AFTER_MS = 500;

/** Takes no new connections, and gives the open ones a moment; also for a server that never listened. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const impatience = setTimeout(() => server.closeAllConnections(), CLOSE_CONNECTIONS_AFTER_MS);
  await closed;
  clearTimeout(impatience);
}
