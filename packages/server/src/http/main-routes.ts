import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type ApplicationOptions, application } from "./application.ts";
import { isWebClientPath, type WebClientSource, webClientListener } from "./web-client.ts";

/** What the main port serves, and the web client if there is one. */
export interface MainRoutesOptions extends ApplicationOptions {
  readonly webClient?: WebClientSource;
  /** The path below which people see it. */
  readonly basePath?: string;
}

/** What the main port serves: the web client, status, probes, measurements, and the offline model if it is to be one of others. */
export function mainRoutes(options: MainRoutesOptions): RequestListener {
  const { basePath = "" } = options;
  const home = basePath + (options.webClient ? "/s/" : "/status");
  const routes = getRequestListener(
    application({ ...options, home }).fetch as Parameters<typeof getRequestListener>[0],
  );
  const pages = webClientListener(options.webClient, basePath);
  return (request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    if (isWebClientPath(path)) pages(request, response);
    else routes(request, response);
  };
}
