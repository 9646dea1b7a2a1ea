import { Hono } from "hono";
import { problemAnswer } from "../../api/problem.ts";
import type { Door } from "../door.ts";

export const agUiDoor: Door = {
  paths: /^\/agui(\/|$)/,
  routes: () => new Hono(),
  refusal: problemAnswer,
};
