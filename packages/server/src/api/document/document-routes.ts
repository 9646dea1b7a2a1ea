import { Hono } from "hono";
import type { ApiEnvironment, ApiRoutes } from "../api-options.ts";
import { eventSchema } from "../schemas/event-schemas.ts";
import { documentPage, documentStyle } from "./document-page.ts";

/** The API's description, made from the schemas that check requests, for programs and for people (S4.24). */
export function documentRoutes(api: ApiRoutes, version: string): Hono<ApiEnvironment> {
  // It comes only in event streams, which the document cannot say.
  api.openAPIRegistry.register("DomainEvent", eventSchema);
  let made: ReturnType<ApiRoutes["getOpenAPI31Document"]> | undefined;
  const document = () => {
    made ??= api.getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "Parley", version, description: "Sessions, runs and forks over any A2A agent." },
      servers: [{ url: "/api/v1" }],
    });
    return made;
  };
  const routes = new Hono<ApiEnvironment>();
  routes.get("/openapi.json", (context) => context.json(document()));
  routes.get("/docs", (context) => context.html(documentPage(document())));
  routes.get("/docs.css", (context) => context.body(documentStyle, 200, { "Content-Type": "text/css" }));
  return routes;
}
