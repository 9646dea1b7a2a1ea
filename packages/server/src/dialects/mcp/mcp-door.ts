import { Hono } from "hono";
import { problemAnswer } from "../../api/problem.ts";
import type { Door } from "../door.ts";

export const mcpDoor: Door = {
  paths: /^\/mcp(\/|$)/,
  routes: () => new Hono(),
  refusal: problemAnswer,
};
