import { OpenAPIHono } from "@hono/zod-openapi";
import { expect, it } from "vitest";
import { documentRoutes } from "./api-document.ts";
import type { ApiEnvironment } from "./api-options.ts";

/** The routes, and how often the document was made. */
function counted() {
  const api = new OpenAPIHono<ApiEnvironment>();
  const made = api.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "T", version: "1" } });
  let reads = 0;
  api.getOpenAPI31Document = () => {
    reads++;
    return made;
  };
  return { routes: documentRoutes(api, "1"), reads: () => reads };
}

it("the OpenAPI document is made once, however often it is requested, and has an ETag", async () => {
  const { routes, reads } = counted();
  const [first, second] = [await routes.request("/openapi.json"), await routes.request("/openapi.json")];
  expect(await second.text()).toBe(await first.text());
  expect(reads()).toBe(1);
  const etag = first.headers.get("ETag") ?? "";
  expect(etag).toMatch(/^"\w+"$/);
  const again = await routes.request("/openapi.json", { headers: { "If-None-Match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});
