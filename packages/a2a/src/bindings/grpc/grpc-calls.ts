import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import type {
  Operation,
  OperationRequests,
  OperationResults,
  UnaryOperation,
} from "../../dialects/dialect.ts";
import type { StreamResponse } from "../../protocol/model.ts";
import type { Caller, CallerIdentity } from "../../tasks/caller.ts";
import { Trace } from "../../tracing/trace.ts";
import { admit } from "../admission.ts";
import type { AgentOperations } from "../agent-operations.ts";
import { checkVersion } from "../check-version.ts";
import { activeExtensions, namedExtensions } from "../extensions.ts";
import { checkAccess, readingSignal } from "../lost-access.ts";
import { openStream, type StreamCall } from "../open-stream.ts";
import { protocolError } from "../protocol-error.ts";
import { requestKeyOf } from "../request-key.ts";
import { type GrpcError, grpcError } from "./grpc-errors.ts";
import { readableRequest } from "./readable-service.ts";
import { writeSteadily } from "./write-steadily.ts";

/** What is known of a call before its message is looked at. */
export interface GrpcCall {
  readonly metadata: Metadata;
  getPeer(): string;
}

export interface GrpcAgentOptions {
  readonly operations: AgentOperations;
  /** Whose call it is; throws `UnauthenticatedError` where nobody knows. */
  readonly ownerOf: (call: GrpcCall) => string | CallerIdentity | Promise<string | CallerIdentity>;
  /** Whether the caller has shown who it is; by default nobody has. */
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

/** How a method reads its message and writes its answer. */
interface UnaryMethod<O extends UnaryOperation, Q, A> {
  readonly operation: O;
  readonly read: (message: Q) => OperationRequests[O];
  readonly write: (result: OperationResults[O]) => A;
}

interface StreamMethod<Q, A> {
  readonly read: (message: Q) => StreamCall;
  readonly write: (event: StreamResponse) => A;
}

/** Answers the calls of one version's service; whatever goes wrong becomes a status. */
export class GrpcCalls {
  readonly #options: GrpcCallsOptions;
  readonly #version: "1.0" | "0.3";

  constructor(version: "1.0" | "0.3", options: GrpcCallsOptions) {
    this.#version = version;
    this.#options = options;
  }

  /** A method with one answer. */
  unary<O extends UnaryOperation, Q, A>({
    operation,
    read,
    write,
  }: UnaryMethod<O, Q, A>): handleUnaryCall<Q, A> {
    return async (call, callback) => {
      try {
        const identity = await this.#caller(call);
        const { operations } = this.#options;
        const request = admit(operations, operation, read(readableRequest(call.request)));
        const caller = withKey(identity, call, { operation, request });
        callback(null, write(await operations.unary[operation](request, caller)));
      } catch (error) {
        callback(this.#status(error));
      }
    };
  }

  /** A method that answers with a stream; a caller who leaves takes nothing with him but his stream. */
  streaming<Q, A>({ read, write }: StreamMethod<Q, A>): handleServerStreamingCall<Q, A> {
    return async (call) => {
      const { operations, stalledMs } = this.#options;
      try {
        const identity = await this.#caller(call);
        const request = read(readableRequest(call.request));
        const caller = withKey(identity, call, request);
        using _place = operations.streams.take(caller.owner);
        const signal = readingSignal(caller, cancelSignal(call));
        const batches = await openStream(operations, request, { caller, signal });
        await writeSteadily(call, batches, { write, signal, stalledMs });
        checkAccess(caller);
        call.end();
      } catch (error) {
        call.emit("error", this.#status(error));
      }
    };
  }

  async #caller(call: AnsweredCall): Promise<Caller> {
    const { ownerOf, isAuthenticated = () => false } = this.#options;
    checkVersion(textIn(call, "a2a-version"), this.#version);
    const owner = await ownerOf(call);
    this.#activateExtensions(call);
    const { traceparent } = Trace.from(textIn(call, "traceparent"));
    const identity = typeof owner === "string" ? { owner, authenticated: isAuthenticated(call) } : owner;
    return { ...identity, dialect: this.#version, traceparent };
  }

  #activateExtensions(call: AnsweredCall): void {
    const named = ["a2a-extensions", "x-a2a-extensions"].map((name) => textIn(call, name) ?? "");
    const active = activeExtensions(namedExtensions(named), this.#options.operations.capabilities.extensions);
    if (active.length === 0) return;
    const answer = new Metadata();
    answer.set(this.#version === "1.0" ? "a2a-extensions" : "x-a2a-extensions", active.join(", "));
    call.sendMetadata(answer);
  }

  #status(error: unknown): GrpcError {
    return grpcError(protocolError(error, this.#options.report), this.#version);
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
