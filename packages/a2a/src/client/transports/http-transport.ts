import type { Dialect, Operation, OperationRequests } from "../../dialects/dialect.ts";
import { A2AError } from "../../protocol/errors.ts";
import { AgentResponseError } from "../client-errors.ts";
import { readEvents, type ServerSentEvent } from "./event-stream.ts";
import { agentFetch, parseJson, readAnswer } from "./http-exchange.ts";
import { isStream, limitsOf, type StreamCall, type Transport, type TransportSettings } from "./transport.ts";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** How one version of A2A writes its operations over HTTP, and reads the answers. */
export interface HttpEncoding extends Pick<Dialect, "decodeResult" | "eventDecoder"> {
  readonly mediaType: string;
  readonly request: <O extends Operation>(operation: O, request: OperationRequests[O]) => HttpRequest;
  /** Another form of a request that was refused, where agents of this version differ. */
  readonly otherwise?: <O extends Operation>(
    operation: O,
    request: OperationRequests[O],
  ) => HttpRequest | undefined;
  /** The error in a body or in a frame; undefined where there is none. */
  readonly errorIn: (body: unknown) => A2AError | undefined;
}

/** Carries operations over HTTP to the endpoint at this URL. */
export function httpTransport(
  base: string,
  encoding: HttpEncoding,
  { policy, limits, observer }: TransportSettings,
): Transport {
  const { mediaType, errorIn } = encoding;
  const { origin } = new URL(base);

  const ask = (operation: Operation, { method, path, query, body }: HttpRequest, call: StreamCall) => {
    const accepted = isStream(operation) ? ["text/event-stream", mediaType] : [mediaType, "application/json"];
    const init = {
      method,
      headers: {
        ...call.headers,
        accept: [...new Set(accepted)].join(", "),
        ...(body !== undefined && { "content-type": mediaType }),
        ...(call.lastEventId !== undefined && { "last-event-id": call.lastEventId }),
      },
      ...(body !== undefined && { body }),
      signal: call.signal ?? null,
    };
    const url = endpointUrl(base, path, { ...query, ...call.query });
    return agentFetch(url, init, { policy, limits: limitsOf(operation, limits) });
  };

  // An agent that answers with plain JSON is taken to have sent that as its one event.
  async function* oneEvent(response: Response, type: string): AsyncGenerator<ServerSentEvent, void, void> {
    if (response.ok && !/\bjson\b/i.test(type)) {
      await response.body?.cancel();
      const { status } = response;
      const what = `the type ${type.slice(0, 60) || "missing"} instead of a stream`;
      throw new AgentResponseError(origin, what, { status });
    }
    const body = await readAnswer(response, origin, errorIn);
    if (!errorIn(body)) observer.notStreamed(origin);
    yield { data: JSON.stringify(body) };
  }

  const eventsOf = (response: Response) => {
    const type = response.headers.get("content-type") ?? "";
    const isEvents = response.ok && /^text\/event-stream\b/i.test(type);
    const { eventCharacters } = limits;
    return isEvents && response.body
      ? readEvents(response.body, { origin, eventCharacters })
      : oneEvent(response, type);
  };

  return {
    async call(operation, request, call) {
      const answerTo = async (asked: HttpRequest) =>
        readAnswer(await ask(operation, asked, call), origin, errorIn);
      const body = await answerTo(encoding.request(operation, request)).catch((error: unknown) => {
        const isRefused = error instanceof A2AError && error.kind === "InvalidParams";
        const other = isRefused ? encoding.otherwise?.(operation, request) : undefined;
        if (!other) throw error;
        return answerTo(other);
      });
      return encoding.decodeResult(operation, body);
    },
    async *open(operation, request, call) {
      const response = await ask(operation, encoding.request(operation, request), call);
      const decode = encoding.eventDecoder(call.task);
      for await (const { id, data } of eventsOf(response)) {
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

/** The URL of a path below an endpoint, with these parameters added to its own. */
export function endpointUrl(base: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(base);
  if (path !== "") url.pathname = url.pathname.replace(/\/$/, "") + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
