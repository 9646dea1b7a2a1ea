import type { AgentCard } from "../cards/agent-card.ts";
import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import { dialectOfVersion } from "../dialects/choose-dialect.ts";
import type {
  DialectVersion,
  Operation,
  OperationRequests,
  OperationResults,
  TaskNames,
  UnaryOperation,
} from "../dialects/dialect.ts";
import { RUN_EXTENSION } from "../extension/extension-member.ts";
import { A2AError, type A2AErrorKind } from "../protocol/errors.ts";
import type { DiscoveredAgent } from "./agent-cards.ts";
import { AgentResponseError, AuthenticationRequiredError, NoUsableEndpointError } from "./client-errors.ts";
import type { A2AClientOptions } from "./client-options.ts";
import { type Proof, prove } from "./credentials.ts";
import type { OpenStream } from "./streams/resumable-stream.ts";
import { TokenSource } from "./token-source.ts";
import { grpcTransport } from "./transports/grpc/grpc-transport.ts";
import { jsonRpcTransport } from "./transports/json-rpc-transport.ts";
import { restTransport } from "./transports/rest-transport.ts";
import {
  endpointOrigin,
  type StreamFrame,
  type StreamOperation,
  type Transport,
  type TransportCall,
  type TransportSettings,
} from "./transports/transport.ts";

export type ConnectionOptions = TransportSettings &
  Pick<A2AClientOptions, "credentials" | "extensions" | "transports" | "accept">;

export interface CallContext {
  readonly signal: AbortSignal | undefined;
  readonly idempotencyKey?: string;
  readonly traceparent?: string | undefined;
}

export interface StreamContext extends CallContext {
  readonly after?: string | undefined;
  readonly task?: TaskNames;
}

/** The request for an endpoint: dialects differ in who names the task. */
export type RequestFor<O extends Operation> = (endpoint: AgentEndpoint) => OperationRequests[O];

interface Way {
  readonly endpoint: AgentEndpoint;
  readonly transport: Transport;
}

/** Errors that mean: this is not my dialect. The first v0.1 servers call an unknown method an invalid request. */
const MISFITS = new Set<A2AErrorKind>(["VersionNotSupported", "MethodNotFound", "InvalidRequest"]);

/** The ways to one agent: the best that works is used, with the credentials that it asks for. */
export class AgentConnection {
  readonly #agent: DiscoveredAgent;
  readonly #options: ConnectionOptions;
  readonly #tokens: TokenSource;
  readonly #ways: readonly Way[];
  readonly #extensions: readonly string[];
  #chosen: Way;

  /** Throws when none of the endpoints can be used, or the agent wants an extension that we lack. */
  constructor(agent: DiscoveredAgent, options: ConnectionOptions) {
    this.#agent = agent;
    this.#options = options;
    this.#tokens = new TokenSource(options.policy);
    const { accept = () => true, transports = [], extensions = [] } = options;
    const factories = [...transports, jsonRpcTransport, restTransport, grpcTransport];
    this.#ways = agent.endpoints.filter(accept).flatMap((endpoint) => {
      const transport = factories.map((make) => make(endpoint, options)).find((it) => it !== undefined);
      return transport ? [{ endpoint, transport }] : [];
    });
    const [first] = this.#ways;
    if (!first) throw new NoUsableEndpointError(agent.card.name || agent.cardUrl, []);
    this.#chosen = first;
    this.#extensions = sharedExtensions(agent.card, extensions);
  }

  get endpoint(): AgentEndpoint {
    return this.#chosen.endpoint;
  }

  get origin(): string {
    return endpointOrigin(this.endpoint.url);
  }

  /** Whether the agent does a repeated request once, which only those that speak our extension promise. */
  get honoursIdempotencyKeys(): boolean {
    return this.#extensions.includes(RUN_EXTENSION);
  }

  /** Calls an operation once; another dialect is tried when the agent does not speak the one its card claims. */
  call<O extends UnaryOperation>(
    operation: O,
    requestFor: RequestFor<O>,
    context: CallContext,
  ): Promise<OperationResults[O]> {
    return this.#negotiated(operation, (way) =>
      this.#proved(way, context, (call) => way.transport.call(operation, requestFor(way.endpoint), call)),
    );
  }

  /** A stream that is opened when it is first read. */
  open<O extends StreamOperation>(
    operation: O,
    requestFor: RequestFor<O>,
    context: StreamContext,
  ): OpenStream {
    const closing = new AbortController();
    const signal = context.signal ? AbortSignal.any([context.signal, closing.signal]) : closing.signal;
    return {
      frames: this.#frames(operation, requestFor, { ...context, signal }),
      close: () => closing.abort(),
    };
  }

  // Not a generator, which would cost every frame more.
  #frames<O extends StreamOperation>(
    operation: O,
    requestFor: RequestFor<O>,
    context: StreamContext,
  ): AsyncIterator<StreamFrame> {
    const { after: lastEventId, task } = context;
    const names = { lastEventId, ...(task && { task }) };
    let frames: AsyncIterator<StreamFrame> | undefined;
    // Only with the first frame is it known whether the agent speaks this dialect.
    const first = () =>
      this.#negotiated(operation, (way) =>
        this.#proved(way, context, (call) => {
          const request = requestFor(way.endpoint);
          const opened = way.transport.open(operation, request, { ...call, ...names });
          frames = opened[Symbol.asyncIterator]();
          return frames.next();
        }),
      );
    const unreadable = (error: unknown): never => {
      const isNoA2A = error instanceof AgentResponseError && error.status === undefined;
      if (isNoA2A) this.#options.observer.unreadable(this.origin);
      throw error;
    };
    return { next: () => (frames ? frames.next() : first()).catch(unreadable) };
  }

  async #negotiated<T>(operation: Operation, attempt: (way: Way) => Promise<T>): Promise<T> {
    const first = this.#chosen;
    try {
      return await attempt(first);
    } catch (error) {
      const next = isMisfit(error) ? this.#another(first, operation) : undefined;
      if (!next) throw error;
      const result = await attempt(next).catch((second: unknown) => {
        // Neither dialect fits: the first error is the better one to report.
        throw isMisfit(second) ? error : second;
      });
      this.#chosen = next;
      this.#options.observer.fellBack(first.endpoint, next.endpoint);
      return result;
    }
  }

  #another(than: Way, operation: Operation): Way | undefined {
    const { dialect } = than.endpoint;
    const after = this.#ways.slice(this.#ways.indexOf(than) + 1);
    return after.find(
      ({ endpoint }) =>
        endpoint.dialect !== dialect && dialectOfVersion(endpoint.dialect).methodOf(operation) !== undefined,
    );
  }

  async #proved<T>(way: Way, context: CallContext, run: (call: TransportCall) => Promise<T>): Promise<T> {
    const { card } = this.#agent;
    const { credentials = {} } = this.#options;
    const prepared = async () => {
      const proof = await prove(card, credentials, { tokens: this.#tokens, signal: context.signal });
      return this.#callOf(way, context, proof);
    };
    const named = (error: unknown) => {
      if (!(error instanceof AuthenticationRequiredError)) return error;
      const origin = endpointOrigin(way.endpoint.url);
      return new AuthenticationRequiredError(origin, error.status, Object.keys(card.securitySchemes ?? {}));
    };
    for (let isRetried = false; ; isRetried = true) {
      try {
        return await run(await prepared());
      } catch (error) {
        const isRefused = error instanceof AuthenticationRequiredError && error.status === 401;
        // A token may have been withdrawn before its time.
        if (isRetried || !isRefused || !this.#tokens.forget()) throw named(error);
      }
    }
  }

  #callOf({ endpoint }: Way, context: CallContext, proof: Proof): TransportCall {
    const { signal, idempotencyKey, traceparent } = context;
    const headers = {
      ...protocolHeaders(endpoint.dialect, this.#extensions),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(traceparent !== undefined && { traceparent }),
      ...proof.headers,
    };
    return { headers, query: proof.query, signal };
  }
}

function isMisfit(error: unknown): boolean {
  return error instanceof A2AError && MISFITS.has(error.kind);
}

/** The extensions that the agent declares and we understand; throws when it needs one that we do not. */
function sharedExtensions(card: AgentCard, understood: readonly string[]): readonly string[] {
  const known = new Set([RUN_EXTENSION, ...understood]);
  const declared = card.capabilities.extensions ?? [];
  const missing = declared.find(({ uri, required }) => required && !known.has(uri));
  if (!missing) return declared.map(({ uri }) => uri).filter((uri) => known.has(uri));
  const message = `The agent needs its callers to understand ${missing.uri}: name it among the extensions`;
  throw new A2AError("ExtensionSupportRequired", message, { extension: missing.uri });
}

function protocolHeaders(
  dialect: DialectVersion,
  extensions: readonly string[],
): Readonly<Record<string, string>> {
  const isNewest = dialect === "1.0";
  const named = extensions.length > 0 && dialect !== "0.1";
  return {
    ...(isNewest && { "a2a-version": "1.0" }),
    ...(named && { [isNewest ? "a2a-extensions" : "x-a2a-extensions"]: extensions.join(", ") }),
  };
}
