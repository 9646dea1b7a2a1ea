import { Hono } from "hono";
import { problemAnswer } from "../../api/problem.ts";
import type { Door } from "../door.ts";

export const openAiDoor: Door = {
  paths: /^\/v1(\/|$)/,
  routes: () => new Hono(),
  refusal: problemAnswer,
};
