import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { doorOf } from "../dialects/doors.ts";
import { apiApplication } from "./api-application.ts";
import type { ApiOptions } from "./api-options.ts";

const PATHS = /^\/(api\/v1|sessions)(\/|\?|$)/;

/** Serves the API and the doors of other protocols; what is not its goes to `next`. */
export function apiListener(options: ApiOptions, next: RequestListener): RequestListener {
  const { fetch } = apiApplication(options);
  const routes = getRequestListener(fetch as Parameters<typeof getRequestListener>[0]);
  return (request, response) =>
    PATHS.test(request.url ?? "") || doorOf(request.url)
      ? routes(request, response)
      : next(request, response);
}
