import { type Client, Metadata } from "@grpc/grpc-js";
import type {
  Operation,
  OperationRequests,
  OperationResults,
  UnaryOperation,
} from "../../dialects/dialect.ts";
import { ExchangeLife } from "../../egress/exchange-life.ts";
import { agentFailure } from "../agent-fetch.ts";
import { endpointOrigin, limitsOf } from "../endpoint-url.ts";
import type {
  StreamCall,
  StreamFrame,
  StreamOperation,
  TransportCall,
  TransportSettings,
} from "../transport.ts";
import { openGrpcChannel } from "./grpc-channel.ts";
import { grpcFailure } from "./grpc-failure.ts";
import { GRPC_WIRES, type GrpcDialect, type GrpcMethod } from "./grpc-wire.ts";

/** One operation at one endpoint. */
export interface GrpcQuestion<O extends Operation> {
  readonly url: string;
  readonly dialect: GrpcDialect;
  readonly operation: O;
  readonly request: OperationRequests[O];
}

/** No character of UTF-16 needs more in UTF-8. */
const BYTES_PER_CHARACTER = 3;

/** Asks for one answer. */
export async function grpcUnary<O extends UnaryOperation>(
  { url, dialect, operation, request }: GrpcQuestion<O>,
  call: TransportCall,
  { policy, limits }: TransportSettings,
): Promise<OperationResults[O]> {
  const wire = GRPC_WIRES[dialect];
  const method = wire.method(operation);
  const message = wire.encode(operation, request);
  const life = new ExchangeLife(endpointOrigin(url), call.signal);
  try {
    const client = await openGrpcChannel(url, { policy, messageBytes: limits.answerBytes, life });
    try {
      const deadline = Date.now() + (limitsOf(operation, limits).total ?? limits.read);
      const answer = await ask(client, method, { message, call, deadline, signal: life.signal });
      return wire.decodeResult(operation, wire.json(operation, answer));
    } finally {
      client.close();
    }
  } catch (error) {
    throw failureOf(error, life, { origin: endpointOrigin(url), operation });
  } finally {
    life.end();
  }
}

/**
 * Opens a stream when its first frame is asked for. There are no cursors: what a broken one leaves out is found in
 * the task's snapshot.
 */
export async function* grpcStream<O extends StreamOperation>(
  { url, dialect, operation, request }: GrpcQuestion<O>,
  call: StreamCall,
  { policy, limits }: TransportSettings,
): AsyncGenerator<StreamFrame, void, void> {
  const wire = GRPC_WIRES[dialect];
  const message = wire.encode(operation, request);
  const { path, requestSerialize } = wire.method(operation);
  const decode = wire.eventDecoder(call.task);
  const life = new ExchangeLife(endpointOrigin(url), call.signal);
  try {
    const messageBytes = limits.eventCharacters * BYTES_PER_CHARACTER;
    const client = await openGrpcChannel(url, { policy, messageBytes, life });
    const stream = client.makeServerStreamRequest(path, requestSerialize, asItIs, message, metadataOf(call));
    // A reader may leave without another word than the signal's; the error that follows is nobody's.
    stream.on("error", () => undefined);
    const close = () => {
      stream.cancel();
      client.close();
    };
    whenAborted(life.signal, close);
    try {
      const messages: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
      for (;;) {
        const arrived = life.limit("the next event", limits.idle);
        const { done, value } = await messages.next();
        arrived();
        if (done) return;
        yield { events: decode(wire.json(operation, value)) };
      }
    } finally {
      close();
    }
  } catch (error) {
    throw failureOf(error, life, { origin: endpointOrigin(url), operation });
  } finally {
    life.end();
  }
}

interface Asking {
  readonly message: object;
  readonly call: TransportCall;
  readonly deadline: number;
  readonly signal: AbortSignal;
}

function ask(
  client: Client,
  method: GrpcMethod,
  { message, call, deadline, signal }: Asking,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const { path, requestSerialize } = method;
  const asked = client.makeUnaryRequest(
    ...([path, requestSerialize, asItIs, message, metadataOf(call), { deadline }] as const),
    (error, answer) => (error ? reject(error) : resolve(answer ?? Buffer.alloc(0))),
  );
  whenAborted(signal, () => asked.cancel());
  return promise;
}

function whenAborted(signal: AbortSignal, run: () => void): void {
  if (signal.aborted) run();
  else signal.addEventListener("abort", run, { once: true });
}

function failureOf(
  error: unknown,
  { signal }: ExchangeLife,
  asked: { readonly origin: string; readonly operation: Operation },
): unknown {
  return grpcFailure(agentFailure(asked.origin, signal.aborted ? signal.reason : error), asked);
}

// A gRPC call has no query: a credential that belongs there goes with the others.
function metadataOf({ headers, query }: TransportCall): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ ...query, ...headers })) metadata.set(name, value);
  return metadata;
}

function asItIs(bytes: Buffer): Buffer {
  return bytes;
}
