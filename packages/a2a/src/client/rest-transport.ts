import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import type { Operation } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { agentFetch } from "./agent-fetch.ts";
import { parseJson, readAnswer } from "./answer-body.ts";
import { endpointUrl, isStream, limitsOf } from "./endpoint-url.ts";
import { httpStream } from "./http-stream.ts";
import type { RestRequest } from "./rest-requests.ts";
import { REST_TONGUES } from "./rest-tongue.ts";
import type { StreamCall, StreamFrame, Transport, TransportCall, TransportSettings } from "./transport.ts";

/** A2A v1.0 and v0.3 over REST, which the specification calls HTTP+JSON. */
export function restTransport(endpoint: AgentEndpoint, settings: TransportSettings): Transport | undefined {
  const tongue = REST_TONGUES[endpoint.dialect];
  if (endpoint.binding !== "HTTP+JSON" || !tongue) return undefined;
  const { mediaType, errorIn } = tongue;
  const { policy, limits, observer } = settings;
  const { origin } = new URL(endpoint.url);
  // The path of v0.3 begins with its version, and some cards name that already.
  const base = endpoint.dialect === "0.3" ? endpoint.url.replace(/\/v1\/?$/, "") : endpoint.url;

  const ask = (operation: Operation, { method, path, query, body }: RestRequest, call: StreamCall) => {
    const init = {
      method,
      headers: {
        ...call.headers,
        accept: isStream(operation) ? `text/event-stream, ${mediaType}` : `${mediaType}, application/json`,
        ...(body !== undefined && { "content-type": mediaType }),
        ...(call.lastEventId !== undefined && { "last-event-id": call.lastEventId }),
      },
      ...(body !== undefined && { body }),
      signal: call.signal ?? null,
    };
    const url = endpointUrl(base, path, { ...query, ...call.query });
    return agentFetch(url, init, { policy, limits: limitsOf(operation, limits) });
  };

  return {
    async call(operation, request, call: TransportCall) {
      const answerTo = async (asked: RestRequest) =>
        readAnswer(await ask(operation, asked, call), origin, errorIn);
      const body = await answerTo(tongue.request(operation, request)).catch((error: unknown) => {
        const isRefused = error instanceof A2AError && error.kind === "InvalidParams";
        const other = isRefused ? tongue.otherwise?.(operation, request) : undefined;
        if (!other) throw error;
        return answerTo(other);
      });
      return tongue.decodeResult(operation, body);
    },
    async *open(operation, request, call): AsyncGenerator<StreamFrame, void, void> {
      const response = await ask(operation, tongue.request(operation, request), call);
      const decode = tongue.eventDecoder(call.task);
      const { eventCharacters } = limits;
      const options = { origin, eventCharacters, observer, decodeError: errorIn };
      for await (const { id, data } of httpStream(response, options)) {
        if (data === "") continue;
        const body = parseJson(data, origin);
        // No event looks like an error, so one needs no `event: error` to be known.
        const error = errorIn(body);
        if (error) throw error;
        yield { events: decode(body), ...(id && { id }) };
      }
    },
  };
}
