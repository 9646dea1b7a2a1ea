import { Hono } from "hono";
import { etagOf } from "../http/answer-parts.ts";
import type { ApiEnvironment, ApiRoutes } from "./api-options.ts";
import { eventSchema } from "./schemas/session-schemas.ts";

/** The page about the API, relative to `/api/v1/docs`. */
const DOCS_PAGE = "../../docs/api";

/** Serves the OpenAPI document, generated from the schemas that check requests (S4.24), and redirects to the page about it. */
export function documentRoutes(api: ApiRoutes, version: string): Hono<ApiEnvironment> {
  // Sent in event streams, whose content OpenAPI cannot describe.
  api.openAPIRegistry.register("DomainEvent", eventSchema);
  api.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key (`parley_…`), if the server requires authentication.",
  });
  let cached: { readonly body: Uint8Array<ArrayBuffer>; readonly etag: string } | undefined;
  const document = () => {
    const described = api.getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "Parley API", version, description: "Sessions, runs and forks over any A2A agent." },
      servers: [{ url: "/api/v1" }],
      security: [{ apiKey: [] }, {}],
    });
    const body = new TextEncoder().encode(JSON.stringify(described));
    return { body, etag: etagOf(body) };
  };
  const routes = new Hono<ApiEnvironment>();
  routes.get("/openapi.json", (context) => {
    // Not before the first request: by then all routes are registered.
    cached ??= document();
    const headers = { "Cache-Control": "no-cache", ETag: cached.etag };
    return context.req.header("If-None-Match")?.includes(cached.etag)
      ? context.body(null, 304, headers)
      : context.body(cached.body, 200, { ...headers, "Content-Type": "application/json" });
  });
  routes.get("/docs", (context) => context.redirect(DOCS_PAGE));
  return routes;
}
