import { randomUUID } from "node:crypto";
import type { AgentEndpoint } from "../../cards/card-endpoints.ts";
import { dialectOfVersion } from "../../dialects/choose-dialect.ts";
import { A2AError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/model.ts";
import { AgentResponseError } from "../client-errors.ts";
import { type HttpEncoding, httpTransport } from "./http-transport.ts";
import type { Transport, TransportSettings } from "./transport.ts";

/** A2A over JSON-RPC, in the dialect of the endpoint. */
export function jsonRpcTransport(
  { binding, dialect: version, url }: AgentEndpoint,
  settings: TransportSettings,
): Transport | undefined {
  if (binding !== "JSONRPC") return undefined;
  const dialect = dialectOfVersion(version);
  // Some agents write `error: null` beside a result.
  const errorIn = (body: unknown) =>
    isObject(body) && isObject(body.error) ? dialect.decodeError(body.error) : undefined;
  const resultOf = (body: unknown) => {
    const error = errorIn(body);
    if (error) throw error;
    if (isObject(body) && "result" in body) return body.result;
    throw new AgentResponseError(new URL(url).origin, "JSON without a result");
  };
  const encoding: HttpEncoding = {
    mediaType: "application/json",
    request(operation, request) {
      const method = dialect.methodOf(operation);
      if (!method)
        throw new A2AError("UnsupportedOperation", `A2A ${version} has no operation ${operation}`, {
          operation,
        });
      const params = dialect.encodeRequest(operation, request);
      const body = JSON.stringify({ jsonrpc: "2.0", id: randomUUID(), method, params });
      return { method: "POST", path: "", query: {}, body };
    },
    errorIn,
    decodeResult: (operation, body) => dialect.decodeResult(operation, resultOf(body)),
    eventDecoder(task) {
      const decode = dialect.eventDecoder(task);
      return (body) => decode(resultOf(body));
    },
  };
  return httpTransport(url, encoding, settings);
}
