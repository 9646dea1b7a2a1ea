import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import type { Operation, OperationRequests } from "../dialects/dialect.ts";
import { v1Dialect } from "../dialects/v1-dialect.ts";
import { isObject } from "../dialects/wire-schema.ts";
import { agentFetch } from "./agent-fetch.ts";
import { parseJson, readAnswer } from "./answer-body.ts";
import { endpointUrl, isStream, limitsOf } from "./endpoint-url.ts";
import { httpStream } from "./http-stream.ts";
import { decodeRestError } from "./rest-error.ts";
import { restRequest } from "./rest-requests.ts";
import type { StreamCall, StreamFrame, Transport, TransportCall, TransportSettings } from "./transport.ts";

/** A2A v1.0 over REST, which the specification calls HTTP+JSON. */
export function restTransport(endpoint: AgentEndpoint, settings: TransportSettings): Transport | undefined {
  if (endpoint.binding !== "HTTP+JSON" || endpoint.dialect !== "1.0") return undefined;
  const { policy, limits } = settings;
  const { origin } = new URL(endpoint.url);

  const ask = <O extends Operation>(operation: O, request: OperationRequests[O], call: StreamCall) => {
    const { method, path, query, body } = restRequest(operation, request);
    const init = {
      method,
      headers: {
        ...call.headers,
        accept: isStream(operation)
          ? "text/event-stream, application/a2a+json"
          : "application/a2a+json, application/json",
        ...(body !== undefined && { "content-type": "application/a2a+json" }),
        ...(call.lastEventId !== undefined && { "last-event-id": call.lastEventId }),
      },
      ...(body !== undefined && { body }),
      signal: call.signal ?? null,
    };
    const url = endpointUrl(endpoint.url, path, { ...query, ...call.query });
    return agentFetch(url, init, { policy, limits: limitsOf(operation, limits) });
  };

  return {
    async call(operation, request, call: TransportCall) {
      const body = await readAnswer(await ask(operation, request, call), origin, decodeRestError);
      return v1Dialect.decodeResult(operation, body);
    },
    async *open(operation, request, call): AsyncGenerator<StreamFrame, void, void> {
      const response = await ask(operation, request, call);
      const decode = v1Dialect.eventDecoder(call.task);
      const options = { origin, eventCharacters: limits.eventCharacters, decodeError: decodeRestError };
      for await (const { id, data } of httpStream(response, options)) {
        if (data === "") continue;
        const body = parseJson(data, origin);
        // No event has this member, so an error needs no `event: error` to be known as one.
        const error = isObject(body) && "error" in body ? decodeRestError(body) : undefined;
        if (error) throw error;
        yield { events: decode(body), ...(id && { id }) };
      }
    },
  };
}
