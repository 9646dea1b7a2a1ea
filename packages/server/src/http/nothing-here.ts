import type { RequestListener } from "node:http";
import { errorBody } from "./error-answer.ts";

/** What an agent's port answers where there is neither the agent nor anything else. */
export const nothingHere: RequestListener = (request, response) => {
  // Without its query, which may hold a key.
  const [path] = (request.url ?? "").split("?");
  const message = `There is nothing at ${request.method} ${path}; the card is at /.well-known/agent-card.json`;
  response.writeHead(404, { "Content-Type": "application/json" });
  response.end(JSON.stringify(errorBody({ code: "not_found", message })));
};
