import { Hono } from "hono";
import { problemAnswer } from "../../api/problem.ts";
import type { Door } from "../door.ts";

export const aiSdkDoor: Door = {
  paths: /^\/ai(\/|$)/,
  routes: () => new Hono(),
  refusal: problemAnswer,
};
