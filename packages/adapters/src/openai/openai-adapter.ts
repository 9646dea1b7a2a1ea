import { Hono } from "hono";
import type { AdapterEnvironment } from "../adapter-host.ts";
import type { ProtocolAdapter } from "../protocol-adapter.ts";
import { chatRoutes } from "./chat-routes.ts";
import { ChatResolver } from "./conversation/chat-resolver.ts";
import { DeliveryReceipts } from "./conversation/delivery-receipts.ts";
import { modelRoutes } from "./models.ts";
import { namedResponseRoutes } from "./named-response.ts";
import { openAiRefusal } from "./openai-error.ts";
import { ResponseNotes } from "./response-notes.ts";
import { responseRoutes } from "./response-routes.ts";

/** Files come in the body, also those of earlier messages. */
const MAX_BYTES = 16 * 1_048_576;

/** The OpenAI API: models, chat completions, responses. */
export const openAiAdapter: ProtocolAdapter = {
  paths: /^\/v1(\/|$)/,
  bodyBytes: MAX_BYTES,
  routes(host) {
    const routes = new Hono<AdapterEnvironment>();
    const receipts = new DeliveryReceipts(host.sessions);
    const resolver = new ChatResolver(host, receipts);
    const served = { host, receipts, resolver, notes: new ResponseNotes(host.sessions) };
    routes.route("/", modelRoutes(host));
    for (const part of [chatRoutes, responseRoutes, namedResponseRoutes]) routes.route("/", part(served));
    return routes;
  },
  refusal: openAiRefusal,
};
