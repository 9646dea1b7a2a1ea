import { type Client, Metadata } from "@grpc/grpc-js";
import type {
  Operation,
  OperationRequests,
  OperationResults,
  UnaryOperation,
} from "../../../dialects/dialect.ts";
import { ExchangeLife } from "../../../egress/exchange-life.ts";
import { agentFailure } from "../http-exchange.ts";
import type {
  StreamCall,
  StreamFrame,
  StreamOperation,
  TransportCall,
  TransportSettings,
} from "../transport.ts";
import { endpointOrigin, limitsOf } from "../transport.ts";
import { openGrpcChannel } from "./grpc-channel.ts";
import { grpcFailure } from "./grpc-failure.ts";
import { GRPC_WIRES, type GrpcDialect, type GrpcMethod } from "./grpc-wire.ts";

export interface GrpcQuestion<O extends Operation> {
  readonly url: string;
  readonly dialect: GrpcDialect;
  readonly operation: O;
  readonly request: OperationRequests[O];
}

export type GrpcSettings = Pick<TransportSettings, "policy" | "limits">;

/** No character of UTF-16 needs more in UTF-8. */
const BYTES_PER_CHARACTER = 3;

export async function grpcUnary<O extends UnaryOperation>(
  question: GrpcQuestion<O>,
  call: TransportCall,
  settings: GrpcSettings,
): Promise<OperationResults[O]> {
  return readGrpcAnswer(question, await grpcAnswer(question, call, settings));
}

/** Parses a response's JSON; throws InvalidAgentResponse if it is invalid. */
export function readGrpcAnswer<O extends UnaryOperation>(
  { dialect, operation }: GrpcQuestion<O>,
  json: unknown,
): OperationResults[O] {
  return GRPC_WIRES[dialect].decodeResult(operation, json);
}

export async function grpcAnswer<O extends UnaryOperation>(
  { url, dialect, operation, request }: GrpcQuestion<O>,
  call: TransportCall,
  { policy, limits }: GrpcSettings,
): Promise<unknown> {
  const wire = GRPC_WIRES[dialect];
  const method = wire.method(operation);
  const message = wire.encode(operation, request);
  const life = new ExchangeLife(endpointOrigin(url), call.signal);
  try {
    const client = await openGrpcChannel(url, { policy, messageBytes: limits.answerBytes, life });
    try {
      const deadline = Date.now() + (limitsOf(operation, limits).total ?? limits.read);
      const answer = await ask(client, method, { message, call, deadline, signal: life.signal });
      return wire.json(operation, answer);
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
  question: GrpcQuestion<O>,
  call: StreamCall,
  settings: GrpcSettings,
): AsyncGenerator<StreamFrame, void, void> {
  const decode = GRPC_WIRES[question.dialect].eventDecoder(call.task);
  for await (const json of grpcEvents(question, call, settings)) yield { events: decode(json) };
}

export async function* grpcEvents<O extends StreamOperation>(
  { url, dialect, operation, request }: GrpcQuestion<O>,
  call: TransportCall,
  { policy, limits }: GrpcSettings,
): AsyncGenerator<unknown, void, void> {
  const wire = GRPC_WIRES[dialect];
  const message = wire.encode(operation, request);
  const { path, requestSerialize } = wire.method(operation);
  const life = new ExchangeLife(endpointOrigin(url), call.signal);
  try {
    const messageBytes = limits.eventCharacters * BYTES_PER_CHARACTER;
    const client = await openGrpcChannel(url, { policy, messageBytes, life });
    const stream = client.makeServerStreamRequest(path, requestSerialize, asItIs, message, metadataOf(call));
    // A reader may stop by the signal alone; the error that follows has no handler.
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
        yield wire.json(operation, value);
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
