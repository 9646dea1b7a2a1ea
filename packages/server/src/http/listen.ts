import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "../start-error.ts";

/** Listens and returns the port, or throws a `StartError` that says why it cannot. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, port);
  }
  return (server.address() as AddressInfo).port;
}

function explain(error: NodeJS.ErrnoException, port: number): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new StartError(
        `Port ${port} is taken by another program: end that one, or choose another port with PORT=${port < 65_535 ? port + 1 : 8_000} npm start`,
      );
    case "EACCES":
      return new StartError(
        `Port ${port} is reserved by the system: choose one above 1023 with PORT=8000 npm start`,
      );
    default:
      return error;
  }
}
