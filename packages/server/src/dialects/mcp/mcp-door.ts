import { Hono } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import type { Door } from "../door.ts";
import { mcpGet, mcpPost, notAllowed } from "./mcp-endpoint.ts";
import { mcpRefusal } from "./mcp-error.ts";

/** MCP by streamable HTTP, in all its revisions: agents as tools, sessions as resources. */
export const mcpDoor: Door = {
  paths: /^\/mcp\/?$/,
  // Arguments may be files.
  bodyBytes: 16 * 1_048_576,
  routes(api) {
    const routes = new Hono<ApiEnvironment>();
    routes.post("/mcp", (context) => mcpPost(api, context));
    routes.get("/mcp", (context) => mcpGet(api, context));
    routes.all("/mcp", notAllowed);
    return routes;
  },
  refusal: mcpRefusal,
};
