import { randomUUID } from "node:crypto";
import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import { dialectOfVersion } from "../dialects/choose-dialect.ts";
import type { Dialect, Operation, OperationRequests } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";
import { agentFetch } from "./agent-fetch.ts";
import { parseJson, readAnswer } from "./answer-body.ts";
import { AgentResponseError } from "./client-errors.ts";
import { endpointUrl, isStream, limitsOf } from "./endpoint-url.ts";
import { httpStream } from "./http-stream.ts";
import type { StreamCall, StreamFrame, Transport, TransportCall, TransportSettings } from "./transport.ts";

/** A2A over JSON-RPC, in the dialect of the endpoint. */
export function jsonRpcTransport(
  endpoint: AgentEndpoint,
  settings: TransportSettings,
): Transport | undefined {
  if (endpoint.binding !== "JSONRPC") return undefined;
  const { policy, limits, observer } = settings;
  const dialect = dialectOfVersion(endpoint.dialect);
  const { origin } = new URL(endpoint.url);
  const decodeError = (body: unknown) => errorIn(body, dialect);

  const post = <O extends Operation>(operation: O, request: OperationRequests[O], call: StreamCall) => {
    const method = dialect.methodOf(operation);
    if (!method) throw missing(operation, dialect);
    const params = dialect.encodeRequest(operation, request);
    const init = {
      method: "POST",
      headers: {
        ...call.headers,
        "content-type": "application/json",
        accept: isStream(operation) ? "text/event-stream, application/json" : "application/json",
        ...(call.lastEventId !== undefined && { "last-event-id": call.lastEventId }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: randomUUID(), method, params }),
      signal: call.signal ?? null,
    };
    const url = endpointUrl(endpoint.url, "", call.query);
    return agentFetch(url, init, { policy, limits: limitsOf(operation, limits) });
  };

  return {
    async call(operation, request, call: TransportCall) {
      const body = await readAnswer(await post(operation, request, call), origin, decodeError);
      return dialect.decodeResult(operation, resultOf(body, dialect, origin));
    },
    async *open(operation, request, call): AsyncGenerator<StreamFrame, void, void> {
      const response = await post(operation, request, call);
      const decode = dialect.eventDecoder(call.task);
      const { eventCharacters } = limits;
      const options = { origin, eventCharacters, observer, decodeError };
      for await (const { id, data } of httpStream(response, options)) {
        if (data === "") continue;
        const result = resultOf(parseJson(data, origin), dialect, origin);
        yield { events: decode(result), ...(id && { id }) };
      }
    },
  };
}

function resultOf(body: unknown, dialect: Dialect, origin: string): unknown {
  const error = errorIn(body, dialect);
  if (error) throw error;
  if (!isObject(body) || !("result" in body)) {
    throw new AgentResponseError(origin, "JSON without a result");
  }
  return body.result;
}

// Some agents write `error: null` beside a result.
function errorIn(body: unknown, dialect: Dialect): A2AError | undefined {
  return isObject(body) && isObject(body.error) ? dialect.decodeError(body.error) : undefined;
}

function missing(operation: Operation, { version }: Dialect): A2AError {
  return new A2AError("UnsupportedOperation", `A2A ${version} has no operation ${operation}`, { operation });
}
