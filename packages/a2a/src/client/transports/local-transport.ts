import { StorageError } from "@parley/journal";
import { admit } from "../../bindings/admission.ts";
import type { AgentOperations } from "../../bindings/agent-operations.ts";
import { protocolError } from "../../bindings/http-error.ts";
import { requestKeyOf } from "../../bindings/request-headers.ts";
import { dialectOfVersion } from "../../dialects/choose-dialect.ts";
import type { Operation, OperationRequests } from "../../dialects/dialect.ts";
import type { Caller } from "../../tasks/caller.ts";
import type { EventBatches } from "../../tasks/task-operations.ts";
import { AgentResponseError } from "../client-errors.ts";
import type { StreamFrame, Transport, TransportCall, TransportFactory } from "./transport.ts";

const DIALECT = dialectOfVersion("1.0");

/** An agent of this process, and on whose behalf it is asked. */
export interface LocalAgent {
  /** The URL of its JSON-RPC endpoint. */
  readonly url: string;
  readonly operations: AgentOperations;
  readonly owner: string;
  /** Hears of errors that are not the caller's. */
  readonly report: (error: unknown) => void;
}

/** Reaches an agent of this process without a network between: the same checks, tasks and errors, nothing written twice. */
export function localTransport({ url, operations, owner, report }: LocalAgent): TransportFactory {
  // Written and read as over a network, so that the same is refused, and a key means the same request on every way.
  const received = <O extends Operation>(
    operation: O,
    request: OperationRequests[O],
    call: TransportCall,
  ) => {
    const params = DIALECT.encodeRequest(operation, request);
    const requestKey = requestKeyOf(operation, call.headers["idempotency-key"], params);
    const { traceparent } = call.headers;
    const caller: Caller = { owner, dialect: "1.0", traceparent, ...(requestKey && { requestKey }) };
    return { caller, asked: admit(operations, operation, DIALECT.decodeRequest(operation, params)) };
  };

  // A storage that is away is to be waited for, as who comes over HTTP learns from the status.
  const refusal = (error: unknown): Error => {
    const known = protocolError(error, report);
    if (!(error instanceof StorageError)) return known;
    return new AgentResponseError(new URL(url).origin, known.message, { status: 503 });
  };

  const transport: Transport = {
    async call(operation, request, call) {
      try {
        const { asked, caller } = received(operation, request, call);
        return await operations.unary[operation](asked, caller);
      } catch (error) {
        throw refusal(error);
      }
    },
    async *open(operation, request, call): AsyncGenerator<StreamFrame, void, void> {
      try {
        const { asked, caller } = received(operation, request, call);
        const after = call.lastEventId === undefined ? undefined : Number(call.lastEventId);
        const { signal } = call;
        if ("message" in asked) {
          const accepted = await operations.tasks.stream(asked, caller, signal, after);
          if ("message" in accepted) return yield { events: [{ message: accepted.message }] };
          return yield* frames(accepted.events);
        }
        const watched = { id: asked.id, ...(after !== undefined && { after }), ...(signal && { signal }) };
        yield* frames(await operations.tasks.subscribe(watched, caller));
      } catch (error) {
        if (call.signal?.aborted) throw call.signal.reason;
        throw refusal(error);
      }
    },
  };
  return (endpoint) =>
    endpoint.binding === "JSONRPC" && endpoint.dialect === "1.0" && endpoint.url === url
      ? transport
      : undefined;
}

/** Each event under its own cursor: whoever has to stop between two that were committed together goes on there. */
async function* frames(batches: EventBatches): AsyncGenerator<StreamFrame, void, void> {
  for await (const batch of batches)
    for (const { index, payload } of batch) yield { id: String(index), events: [payload] };
}
