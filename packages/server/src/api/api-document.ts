import { Hono } from "hono";
import { etagOf } from "../http/answer-parts.ts";
import type { ApiEnvironment, ApiRoutes } from "./api-options.ts";
import { eventSchema } from "./schemas/event-schemas.ts";

/** Where people read the API's errors and reference, as seen from `/api/v1/docs`; the browser keeps the fragment. */
const DOCS_PAGE = "../../docs/api";

/** Serves the OpenAPI document, made from the schemas that check requests (S4.24), and redirects to the page about it. */
export function documentRoutes(api: ApiRoutes, version: string): Hono<ApiEnvironment> {
  // It comes only in event streams, which the document cannot say.
  api.openAPIRegistry.register("DomainEvent", eventSchema);
  api.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key (`parley_…`), where the server asks for one.",
  });
  let made: { readonly body: Uint8Array<ArrayBuffer>; readonly etag: string } | undefined;
  const document = () => {
    const described = api.getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "Parley", version, description: "Sessions, runs and forks over any A2A agent." },
      servers: [{ url: "/api/v1" }],
      security: [{ apiKey: [] }, {}],
    });
    const body = new TextEncoder().encode(JSON.stringify(described));
    return { body, etag: etagOf(body) };
  };
  const routes = new Hono<ApiEnvironment>();
  routes.get("/openapi.json", (context) => {
    // On the first request, because only then are all routes registered.
    made ??= document();
    const headers = { "Cache-Control": "no-cache", ETag: made.etag };
    return context.req.header("If-None-Match")?.includes(made.etag)
      ? context.body(null, 304, headers)
      : context.body(made.body, 200, { ...headers, "Content-Type": "application/json" });
  });
  routes.get("/docs", (context) => context.redirect(DOCS_PAGE));
  return routes;
}
