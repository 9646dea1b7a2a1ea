import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from "@a2a-js/sdk/errors/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import {
  type CallOptions,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";

const SERVICES = { "1.0": A2AService, "0.3": LegacyA2AService };

/** How a call was refused. */
export interface Refusal {
  readonly code: string;
  readonly details: string;
  readonly info?: {
    readonly reason: string;
    readonly domain: string;
    readonly metadata: Record<string, string>;
  };
}

/** For tests: a client that sends any request, valid or not. */
export class GrpcCaller {
  readonly #client: Client;
  readonly #version: keyof typeof SERVICES;

  constructor(port: number, version: keyof typeof SERVICES) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    this.#version = version;
  }

  /** Asks with a message, or with bytes that claim to be one. */
  ask(
    method: string,
    message: object,
    headers: Record<string, string> = {},
    options: CallOptions = {},
  ): Promise<unknown> {
    const { path, serialize, deserialize } = this.#method(method);
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        serialize,
        deserialize,
        message,
        metadataOf(headers),
        options,
        (error, answer) => (error ? reject(error) : resolve(answer)),
      );
    });
  }

  stream(
    method: string,
    message: object,
    options: CallOptions = {},
    headers: Record<string, string> = {},
  ): ClientReadableStream<unknown> {
    const { path, serialize, deserialize } = this.#method(method);
    return this.#client.makeServerStreamRequest(
      path,
      serialize,
      deserialize,
      message,
      metadataOf(headers),
      options,
    );
  }

  close(): void {
    this.#client.close();
  }

  #method(name: string) {
    const methods: Record<
      string,
      { path: string; requestSerialize(value: never): Buffer; responseDeserialize(bytes: Buffer): unknown }
    > = SERVICES[this.#version];
    const method = methods[name];
    if (!method) throw new Error(`There is no method ${name}`);
    const serialize = (message: object) =>
      Buffer.isBuffer(message) ? message : method.requestSerialize(message as never);
    return { path: method.path, serialize, deserialize: method.responseDeserialize };
  }
}

/** How a call was refused, with its `google.rpc.ErrorInfo`. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const error = await call.then(
    () => {
      throw new Error("The call was not refused");
    },
    (reason: ServiceError) => reason,
  );
  const [blob] = error.metadata?.get(GRPC_STATUS_DETAILS_BIN) ?? [];
  const [detail] = blob ? decodeStatus(blob as Buffer).details : [];
  return {
    code: status[error.code],
    details: error.details,
    ...(detail && { info: decodeErrorInfo(detail.value) }),
  };
}

function metadataOf(headers: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}
