import { Hono } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import type { Door } from "../door.ts";
import { mcpGet, mcpPost, notAllowed } from "./mcp-endpoint.ts";
import { mcpRefusal } from "./mcp-error.ts";

/** MCP by streamable HTTP, in all its revisions: agents as tools, sessions as resources. */
export const mcpDoor: Door = {
  paths: /^\/mcp\/?$/,
  routes(api) {
    const routes = new Hono<ApiEnvironment>();
    for (const path of ["/mcp", "/mcp/"]) {
      routes.post(path, (context) => mcpPost(api, context));
      routes.get(path, (context) => mcpGet(api, context));
      routes.all(path, notAllowed);
    }
    return routes;
  },
  refusal: mcpRefusal,
};
