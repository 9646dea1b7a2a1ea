import { Hono } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import type { Door } from "../door.ts";
import { chatRoutes } from "./chat-routes.ts";
import { modelRoutes } from "./models.ts";
import { openAiRefusal } from "./openai-error.ts";
import { responseRoutes } from "./response-routes.ts";

/** Images and files come in the body, and those of earlier messages again with each. */
const MOST_BYTES = 16 * 1_048_576;

/** For clients of OpenAI's: models, chat completions, responses. */
export const openAiDoor: Door = {
  paths: /^\/v1(\/|$)/,
  bodyBytes: MOST_BYTES,
  routes(api) {
    const routes = new Hono<ApiEnvironment>();
    for (const part of [modelRoutes, chatRoutes, responseRoutes]) routes.route("/", part(api));
    return routes;
  },
  refusal: openAiRefusal,
};
