import { Hono } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import type { Door } from "../door.ts";
import { ConversationDoor } from "./asking/conversation-door.ts";
import { ToldAnswers } from "./asking/told-answers.ts";
import { chatRoutes } from "./chat-routes.ts";
import { modelRoutes } from "./models.ts";
import { namedResponseRoutes } from "./named-response-routes.ts";
import { openAiRefusal } from "./openai-error.ts";
import { ResponseNotes } from "./response-notes.ts";
import { responseRoutes } from "./response-routes.ts";

/** Images and files come in the body, and those of earlier messages again with each. */
const MOST_BYTES = 16 * 1_048_576;

/** For clients of OpenAI's: models, chat completions, responses. */
export const openAiDoor: Door = {
  paths: /^\/v1(\/|$)/,
  bodyBytes: MOST_BYTES,
  routes(api) {
    const routes = new Hono<ApiEnvironment>();
    const answers = new ToldAnswers(api.sessions);
    const door = new ConversationDoor(api, answers);
    const served = { api, answers, door, notes: new ResponseNotes(api.sessions) };
    routes.route("/", modelRoutes(api));
    for (const part of [chatRoutes, responseRoutes, namedResponseRoutes]) routes.route("/", part(served));
    return routes;
  },
  refusal: openAiRefusal,
};
