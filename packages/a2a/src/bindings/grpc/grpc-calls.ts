import { once } from "node:events";
import type { Writable } from "node:stream";
import { encodeGrpcStatusDetails, GRPC_STATUS_DETAILS_BIN } from "@a2a-js/sdk/errors/grpc";
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerWritableStream,
  type StatusObject,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { Operation, OperationRequests, UnaryOperation } from "../../dialects/dialect.ts";
import { INTERNAL_MESSAGE } from "../../dialects/error-object.ts";
import { reasonOf } from "../../dialects/v1/errors.ts";
import type { A2AError, A2AErrorKind } from "../../protocol/errors.ts";
import type { StreamResponse } from "../../protocol/model.ts";
import type { Caller, CallerIdentity } from "../../tasks/caller.ts";
import { Trace } from "../../tracing/trace.ts";
import { activeExtensions, admit } from "../admission.ts";
import { type AgentOperations, mayChange } from "../agent-operations.ts";
import { protocolError, rpcStatus, StalledReaderError } from "../http-error.ts";
import { checkAccess, readingSignal } from "../lost-access.ts";
import { checkVersion, namedExtensions, requestKeyOf } from "../request-headers.ts";
import type { GrpcFormat } from "./grpc-formats.ts";
import { readableRequest } from "./readable-service.ts";

/** What a call is refused with. */
type GrpcError = Pick<StatusObject, "code" | "details"> & Partial<StatusObject>;

/** Errors travel in trailers, which are headers: what a caller wrote must not make them too large to send. */
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_DETAIL_LENGTH = 200;

/** The v0.3 status for a missing capability; its clients look only at the status. */
const LACKING_IN_V03 = new Set<A2AErrorKind>(["PushNotificationNotSupported", "UnsupportedOperation"]);

/** An error as gRPC has it: a status and, unless it is an internal one, a `google.rpc.ErrorInfo`. */
function grpcError(error: A2AError, version: "1.0" | "0.3"): GrpcError {
  const lacking = version === "0.3" && LACKING_IN_V03.has(error.kind);
  const code = lacking ? status.UNIMPLEMENTED : status[rpcStatus(error)];
  if (error.kind === "Internal") return { code, details: INTERNAL_MESSAGE };
  const details = error.message.slice(0, MAX_MESSAGE_LENGTH);
  const facts = Object.entries(error.details).map(([name, text]) => [name, text.slice(0, MAX_DETAIL_LENGTH)]);
  const metadata = new Metadata();
  metadata.set(
    GRPC_STATUS_DETAILS_BIN,
    encodeGrpcStatusDetails(code, details, reasonOf(error), Object.fromEntries(facts)),
  );
  return { code, details, metadata };
}

/** What is known of a call before its message is looked at. */
export interface GrpcCall {
  readonly metadata: Metadata;
  getPeer(): string;
}

export interface GrpcAgentOptions {
  readonly operations: AgentOperations;
  /** The caller; throws `UnauthenticatedError` if unknown. */
  readonly ownerOf: (call: GrpcCall) => string | CallerIdentity | Promise<string | CallerIdentity>;
  /** Whether the caller is authenticated; by default none is. */
  readonly isAuthenticated?: (call: GrpcCall) => boolean;
  /** Hears of errors that are not the caller's. */
  readonly report: (error: unknown) => void;
}

export interface GrpcCallsOptions extends GrpcAgentOptions {
  /** A reader that takes nothing for so long is given up; it can subscribe again. */
  readonly stalledMs: number;
}

/** A call that can be answered with metadata. */
interface AnsweredCall extends GrpcCall {
  sendMetadata(metadata: Metadata): void;
}

/** Answers the calls of one version's service; whatever goes wrong becomes a status. */
export class GrpcCalls {
  readonly #options: GrpcCallsOptions;
  readonly #format: GrpcFormat;

  constructor(format: GrpcFormat, options: GrpcCallsOptions) {
    this.#format = format;
    this.#options = options;
  }

  /** The methods of the version's service. */
  service(): UntypedServiceImplementation {
    const methods = Object.entries(this.#format.methods) as [Operation, string][];
    return Object.fromEntries(
      methods.map(([operation, name]) => [
        name,
        operation === "stream" || operation === "subscribe"
          ? this.#streaming(operation)
          : this.#unary(operation),
      ]),
    );
  }

  #unary<O extends UnaryOperation>(operation: O): handleUnaryCall<object, object> {
    return async (call, callback) => {
      try {
        const identity = await this.#caller(call);
        const { operations } = this.#options;
        const message = readableRequest(call.request);
        const request = admit(operations, operation, this.#format.read(operation, message));
        const caller = withKey(identity, call, { operation, request });
        callback(null, this.#format.results[operation](await operations.unary[operation](request, caller)));
      } catch (error) {
        callback(this.#status(error));
      }
    };
  }

  // A caller who leaves ends its stream and nothing else.
  #streaming(operation: "stream" | "subscribe"): handleServerStreamingCall<object, object> {
    return async (call) => {
      const { operations, stalledMs } = this.#options;
      try {
        const identity = await this.#caller(call);
        const request = this.#format.read(operation, readableRequest(call.request));
        const served = { operation, request } as ServedStreamCall;
        const caller = withKey(identity, call, served);
        using _place = operations.streams.take(caller);
        const signal = readingSignal(caller, cancelSignal(call));
        const batches = await openStream(operations, served, { caller, signal });
        await writeSteadily(call, batches, { write: this.#format.event, signal, stalledMs });
        checkAccess(caller);
        call.end();
      } catch (error) {
        call.emit("error", this.#status(error));
      }
    };
  }

  async #caller(call: AnsweredCall): Promise<Caller> {
    const { ownerOf, isAuthenticated = () => false } = this.#options;
    checkVersion(textIn(call, "a2a-version"), this.#format.version);
    const owner = await ownerOf(call);
    this.#activateExtensions(call);
    const { traceparent } = Trace.from(textIn(call, "traceparent"));
    const identity = typeof owner === "string" ? { owner, authenticated: isAuthenticated(call) } : owner;
    return { ...identity, dialect: this.#format.version, traceparent };
  }

  #activateExtensions(call: AnsweredCall): void {
    const named = ["a2a-extensions", "x-a2a-extensions"].map((name) => textIn(call, name) ?? "");
    const active = activeExtensions(namedExtensions(named), this.#options.operations.capabilities.extensions);
    if (active.length === 0) return;
    const answer = new Metadata();
    answer.set(this.#format.version === "1.0" ? "a2a-extensions" : "x-a2a-extensions", active.join(", "));
    call.sendMetadata(answer);
  }

  #status(error: unknown): GrpcError {
    return grpcError(protocolError(error, this.#options.report), this.#format.version);
  }
}

// What comes twice arrives as one, joined: such a version and such a key are none.
function textIn({ metadata }: GrpcCall, name: string): string | undefined {
  return metadata.get(name)[0]?.toString();
}

/** The caller with the key under which it may repeat this request. */
function withKey(
  caller: Caller,
  call: GrpcCall,
  { operation, request }: { readonly operation: Operation; readonly request: object },
): Caller {
  const requestKey = requestKeyOf(operation, textIn(call, "idempotency-key"), request);
  return requestKey ? { ...caller, requestKey } : caller;
}

function cancelSignal(call: ServerWritableStream<unknown, unknown>): AbortSignal {
  const controller = new AbortController();
  call.on("cancelled", () => controller.abort());
  if (call.cancelled) controller.abort();
  return controller.signal;
}

interface SteadyOptions {
  readonly write: (event: StreamResponse) => object;
  /** Aborted when the reader is gone, or may not read any more. */
  readonly signal: AbortSignal;
  /** A reader that takes nothing for so long is given up. */
  readonly stalledMs: number;
}

/** Writes a stream as fast as it is read and no faster, until it ends or the reader is gone. */
async function writeSteadily(
  writable: Writable,
  batches: PayloadBatches,
  { write, signal, stalledMs }: SteadyOptions,
): Promise<void> {
  for await (const batch of batches) {
    for (const { payload } of batch) {
      if (signal.aborted) return;
      if (!writable.write(write(payload))) await drained(writable, signal, stalledMs);
    }
  }
}

async function drained(writable: Writable, gone: AbortSignal, stalledMs: number): Promise<void> {
  const stalled = AbortSignal.timeout(stalledMs);
  try {
    await once(writable, "drain", { signal: AbortSignal.any([gone, stalled]) });
  } catch (error) {
    if (gone.aborted) return;
    throw stalled.aborted ? new StalledReaderError(stalledMs) : error;
  }
}

/** A call that is answered with a stream. */
type ServedStreamCall =
  | { readonly operation: "stream"; readonly request: OperationRequests["stream"] }
  | { readonly operation: "subscribe"; readonly request: OperationRequests["subscribe"] };

/** What a stream carries, where its events' indices have no place to travel. */
type PayloadBatches = AsyncIterable<readonly { readonly payload: StreamResponse }[]>;

/** Opens the stream that answers a call; what is refused is thrown before there is one. */
async function openStream(
  operations: AgentOperations,
  call: ServedStreamCall,
  { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<PayloadBatches> {
  const { operation, request } = call;
  const { tasks } = operations;
  admit(operations, operation, request);
  if (operation === "subscribe") return tasks.subscribe({ id: request.id, signal }, caller);
  const accepted = await tasks.stream(request, mayChange(caller), signal);
  return "message" in accepted ? single({ message: accepted.message }) : accepted.events;
}

async function* single(payload: StreamResponse): PayloadBatches {
  yield [{ payload }];
}
