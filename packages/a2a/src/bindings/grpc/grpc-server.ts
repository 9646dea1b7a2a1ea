import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { MAX_BODY_BYTES } from "../json-limits.ts";
import { type GrpcAgentOptions, GrpcCalls } from "./grpc-calls.ts";
import { V1_FORMAT, V03_FORMAT } from "./grpc-formats.ts";
import { readableService } from "./readable-service.ts";

const LIMITS = {
  messageBytes: MAX_BODY_BYTES,
  streamsPerConnection: 100,
  /** A ping goes out after so long without a word, and the connection is given up if it stays unanswered. */
  keepaliveMs: 30_000,
  keepaliveTimeoutMs: 10_000,
  /** A stream from which nothing is read for so long is given up. */
  stalledMs: 60_000,
  /** How long calls may continue after the server starts to stop. */
  graceMs: 1_000,
};

/** How much may be asked for at once, and how long one may be silent. */
export type GrpcLimits = Readonly<typeof LIMITS>;

export interface GrpcServerOptions extends GrpcAgentOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  readonly limits?: Partial<GrpcLimits>;
  /** Without them nothing is encrypted. */
  readonly credentials?: ServerCredentials;
}

export interface GrpcServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves an agent over gRPC, in v1.0 and v0.3 on one port. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const limits = { ...LIMITS, ...options.limits };
  const server = new Server({
    "grpc.max_receive_message_length": limits.messageBytes,
    "grpc.max_concurrent_streams": limits.streamsPerConnection,
    "grpc.keepalive_time_ms": limits.keepaliveMs,
    "grpc.keepalive_timeout_ms": limits.keepaliveTimeoutMs,
  });
  const callsOptions = { ...options, stalledMs: limits.stalledMs };
  server.addService(readableService(A2AService), new GrpcCalls(V1_FORMAT, callsOptions).service());
  server.addService(readableService(LegacyA2AService), new GrpcCalls(V03_FORMAT, callsOptions).service());
  const credentials = options.credentials ?? ServerCredentials.createInsecure();
  const port = await bind(server, `${options.host}:${options.port}`, credentials);
  return { port, stop: () => stop(server, limits.graceMs) };
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : resolve(port)));
  });
}

function stop(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.forceShutdown(), graceMs);
    server.tryShutdown(() => {
      clearTimeout(impatience);
      resolve();
    });
  });
}
