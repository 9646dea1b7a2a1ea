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
  readonly url: string;
  readonly operations: AgentOperations;
  readonly owner: string;
  /** Hears of errors that are not the caller's. */
  readonly report: (error: unknown) => void;
}

/** Reaches an agent of this process without a network, with the same checks, tasks and errors. */
export function localTransport({ url, operations, owner, report }: LocalAgent): TransportFactory {
  // Encoded and decoded as over a network, so that validation and idempotency keys behave the same.
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

  // Over HTTP, an unavailable storage is a 503, which callers retry.
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

/** Each event has its own cursor, so that a reader can resume between two that were committed together. */
async function* frames(batches: EventBatches): AsyncGenerator<StreamFrame, void, void> {
  for await (const batch of batches)
    for (const { index, payload } of batch) yield { id: String(index), events: [payload] };
}
