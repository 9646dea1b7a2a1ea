import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { ServerStartError } from "./mcp-errors.ts";
import { ProcessTransport, type ProcessTransportEvents } from "./process-transport.ts";
import type { HttpServerConfiguration, McpServerConfiguration } from "./server-configuration.ts";

/** A fresh transport to a server; everything over HTTP goes through the `fetch` that is handed in. */
export function serverTransport(
  configuration: McpServerConfiguration,
  fetch: FetchLike,
  events: ProcessTransportEvents,
): Transport {
  switch (configuration.transport) {
    case "stdio":
      return new ProcessTransport(configuration, events);
    case "http":
      return new StreamableHTTPClientTransport(address(configuration), requests(configuration, fetch));
    case "sse":
      return new SSEClientTransport(address(configuration), requests(configuration, fetch));
    case "invalid":
      throw new ServerStartError(configuration.reason);
  }
}

function address({ url }: HttpServerConfiguration): URL {
  const address = URL.parse(url);
  if (address === null) throw new ServerStartError("its url is not a URL");
  return address;
}

function requests({ headers }: HttpServerConfiguration, fetch: FetchLike) {
  return { fetch, requestInit: { headers: { ...headers } } };
}
