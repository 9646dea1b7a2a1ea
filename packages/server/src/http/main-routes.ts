import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { OFFLINE_MODEL_PATH, offlineModelListener } from "@parley/agent";
import { type ApplicationOptions, application } from "./application.ts";

/** What the main port serves: status, probes and measurements, and the offline model for whoever speaks OpenAI's API. */
export function mainRoutes(options: ApplicationOptions): RequestListener {
  const routes = getRequestListener(application(options).fetch);
  const offline = offlineModelListener({
    onError: (error) => options.log.error({ err: error }, "offline model failed"),
  });
  return (request, response) =>
    request.url?.startsWith(OFFLINE_MODEL_PATH) ? offline(request, response) : routes(request, response);
}
