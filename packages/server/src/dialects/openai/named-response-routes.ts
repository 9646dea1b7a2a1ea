import { CommandRefusedError, type Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { streamRun } from "../run-stream.ts";
import { markWhenTold } from "./mark-when-told.ts";
import { type NamedResponse, namedResponse, responseSoFar } from "./named-response.ts";
import { wrong } from "./openai-error.ts";
import type { Served } from "./served.ts";
import { followed } from "./telling/part-of-run.ts";
import { ResponseTale } from "./telling/response-tale.ts";

/** What can be asked of a response by its id: to be told, to be cancelled, to be forgotten. */
export function namedResponseRoutes(served: Served): Hono<ApiEnvironment> {
  const { api, notes } = served;
  const routes = new Hono<ApiEnvironment>();

  routes.get("/v1/responses/:id", async (context) => {
    const named = await namedResponse(served, context.var.principal, context.req.param("id"));
    const after = startingAfter(context.req.query("starting_after"));
    if (context.req.query("stream") !== "true")
      return context.json(...(await asItIs(served, context, named)));
    const { part, settings } = named;
    const tale = new ResponseTale(part, settings, after);
    markWhenTold(served, context, () => (tale.isOver ? part : undefined));
    return streamRun(api, context, followed(part), tale, { "X-Session-Id": part.state.id });
  });

  routes.post("/v1/responses/:id/cancel", async (context) => {
    const { principal } = context.var;
    const named = await namedResponse(served, principal, context.req.param("id"));
    const { state, run } = named.part;
    const command = { type: "cancelRun", runId: run.id } as const;
    await api.sessions.execute(principal, state.id, command).catch((error: unknown) => {
      // What has ended stays as it ended.
      if (!(error instanceof CommandRefusedError) || error.code !== "conflict") throw error;
    });
    return context.json(...(await asItIs(served, context, named)));
  });

  routes.delete("/v1/responses/:id", async (context) => {
    const { principal } = context.var;
    const id = context.req.param("id");
    const { part } = await namedResponse(served, principal, id);
    await notes.delete(principal, part.state.id, id);
    return context.json({ id, object: "response", deleted: true });
  });

  return routes;
}

/** What is answered with the response as it is; whoever has its end has been told of it. */
async function asItIs(
  served: Served,
  context: Context<ApiEnvironment>,
  { part: named, settings }: NamedResponse,
) {
  const { principal }: { principal: Principal } = context.var;
  const { state, run, part: number } = named;
  const answering = { sessionId: state.id, runId: run.id, part: number };
  const { part, tale } = await responseSoFar(served, principal, answering, settings);
  markWhenTold(served, context, () => (tale.isOver ? part : undefined));
  return [tale.response, 200, { "X-Session-Id": state.id }] as const;
}

function startingAfter(text: string | undefined): number {
  if (text === undefined) return -1;
  if (!/^\d{1,12}$/.test(text)) throw wrong("starting_after", "must be the sequence_number of an event");
  return Number(text);
}
