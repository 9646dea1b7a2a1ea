import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { SelfSignedCertificate } from "./self-signed-certificate.ts";

export interface LoopbackServer {
  readonly port: number;
  /** How many TCP connections came in. */
  readonly connections: () => number;
}

/** A real server on this loopback address that ends with the test. */
export async function loopbackServer(
  listener: RequestListener,
  options: {
    readonly address?: string;
    readonly port?: number;
    readonly certificate?: SelfSignedCertificate;
  } = {},
): Promise<LoopbackServer> {
  const { certificate } = options;
  const server =
    certificate === undefined
      ? createServer(listener)
      : createSecureServer({ cert: certificate.certificate, key: certificate.key }, listener);
  let count = 0;
  server.on("connection", () => {
    count += 1;
  });
  server.listen(options.port ?? 0, options.address ?? "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => count };
}
