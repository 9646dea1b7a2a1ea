import { A2AService } from "@a2a-js/sdk/server/grpc";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import type { SelfSignedCertificate } from "../../egress/testing/self-signed-certificate.ts";

type Unary = (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>) => void;
type Streaming = (call: ServerWritableStream<unknown, unknown>) => void;

/** How it is reached. */
export interface OddGrpcOptions {
  readonly certificate?: SelfSignedCertificate;
  readonly address?: string;
}

/** A gRPC server of v1.0 whose methods are written by a test; it ends with the test. */
export async function oddGrpcAgent(
  methods: Readonly<Record<string, Unary | Streaming>>,
  { certificate, address = "127.0.0.1" }: OddGrpcOptions = {},
): Promise<{ readonly port: number }> {
  const server = new Server();
  // What a method answers with is sent as it is, so that it can be wrong.
  const raw = Object.entries(A2AService).map(([name, method]) => [
    name,
    {
      ...method,
      responseSerialize: (it: object) => (Buffer.isBuffer(it) ? it : method.responseSerialize(it as never)),
    },
  ]);
  server.addService(Object.fromEntries(raw), methods);
  const credentials = certificate
    ? ServerCredentials.createSsl(null, [
        { cert_chain: Buffer.from(certificate.certificate), private_key: Buffer.from(certificate.key) },
      ])
    : ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${address}:0`, credentials, (error, it) => (error ? reject(error) : resolve(it)));
  });
  onTestFinished(() => server.forceShutdown());
  return { port };
}
