import { CommandRefusedError, type Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { AdapterEnvironment } from "../adapter-host.ts";
import { eventsOfRun } from "../conversations/session-reading.ts";
import { unless } from "../problem.ts";
import { streamRun } from "../run-stream.ts";
import type { RunPartRef } from "./conversation/chat-command.ts";
import { markWhenDelivered, type OpenAiContext } from "./conversation/delivery-receipts.ts";
import { ResponseEncoder } from "./encoding/response-encoder.ts";
import { namedByResponse, type ResponseSettings } from "./encoding/response-object.ts";
import { findRunPart, followed, type RunPart } from "./encoding/run-part.ts";
import { invalidParam, OpenAiProblem } from "./openai-error.ts";

/** A response by its id, with the settings of its request. */
export interface NamedResponse {
  readonly part: RunPart;
  readonly settings: ResponseSettings;
}

/** Finds a response of the principal's that was not deleted. */
export async function namedResponse(
  { host: { sessions }, notes }: Pick<OpenAiContext, "host" | "notes">,
  principal: Principal,
  id: string,
  param = "response_id",
): Promise<NamedResponse> {
  const named = namedByResponse(id);
  const sessionId = named && (await sessions.sessionOfRun(principal, named.runId));
  const row = sessionId === undefined ? undefined : await sessions.row(principal, sessionId);
  const part =
    named && row && row.status !== "deleted"
      ? await findRunPart(sessions, principal, { sessionId: row.id, ...named })
      : undefined;
  const settings = part && (await notes.settings(principal, part));
  if (settings) return { part, settings };
  throw new OpenAiProblem("not_found", `There is no response ${id}`, { param, code: "response_not_found" });
}

/** A response as it is now. */
export async function responseSoFar(
  { host: { sessions } }: Pick<OpenAiContext, "host">,
  principal: Principal,
  answering: Pick<RunPartRef, "sessionId" | "runId" | "part">,
  settings: ResponseSettings,
): Promise<{ readonly part: RunPart; readonly encoder: ResponseEncoder }> {
  const part = await findRunPart(sessions, principal, answering);
  if (!part) throw new CommandRefusedError("not_found", "There is no such response");
  const encoder = new ResponseEncoder(part, settings);
  encoder.begin();
  const own = { runId: part.run.id, after: part.after };
  for (const recorded of await eventsOfRun(sessions, principal, part.state, own)) encoder.event(recorded);
  if (part.run.status === "waiting") encoder.end("waiting");
  return { part, encoder };
}

/** Routes of a response by its id: retrieve, cancel, delete. */
export function namedResponseRoutes(served: OpenAiContext): Hono<AdapterEnvironment> {
  const { host, notes } = served;
  const routes = new Hono<AdapterEnvironment>();

  routes.get("/v1/responses/:id", async (context) => {
    const named = await namedResponse(served, context.var.principal, context.req.param("id"));
    const after = startingAfter(context.req.query("starting_after"));
    if (context.req.query("stream") !== "true")
      return context.json(...(await asItIs(served, context, named)));
    const { part, settings } = named;
    const encoder = new ResponseEncoder(part, settings, after);
    markWhenDelivered(served, context, () => (encoder.isOver ? part : undefined));
    return streamRun(host, context, followed(part), encoder, { "X-Session-Id": part.state.id });
  });

  routes.post("/v1/responses/:id/cancel", async (context) => {
    const { principal } = context.var;
    const named = await namedResponse(served, principal, context.req.param("id"));
    const { state, run } = named.part;
    const command = { type: "cancelRun", runId: run.id } as const;
    // A response that has ended stays as it is.
    await unless("conflict", host.sessions.execute(principal, state.id, command));
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

/** The response as it is now; a complete one counts as delivered. */
async function asItIs(
  served: OpenAiContext,
  context: Context<AdapterEnvironment>,
  { part: named, settings }: NamedResponse,
) {
  const { principal }: { principal: Principal } = context.var;
  const { state, run, part: number } = named;
  const answering = { sessionId: state.id, runId: run.id, part: number };
  const { part, encoder } = await responseSoFar(served, principal, answering, settings);
  markWhenDelivered(served, context, () => (encoder.isOver ? part : undefined));
  return [encoder.response, 200, { "X-Session-Id": state.id }] as const;
}

function startingAfter(text: string | undefined): number {
  if (text === undefined) return -1;
  if (!/^\d{1,12}$/.test(text))
    throw invalidParam("starting_after", "must be the sequence_number of an event");
  return Number(text);
}
