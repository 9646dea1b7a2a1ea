import { CommandRefusedError, type Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import { openSession, recordedEvents } from "../../api/session-reading.ts";
import { streamRun } from "../run-stream.ts";
import { markWhenTold, waitForAnswer } from "./answer-sending.ts";
import type { Answering, Place } from "./asking/asking.ts";
import type { ConversationDoor } from "./asking/conversation-door.ts";
import { withoutReferences } from "./asking/item-references.ts";
import { unusedHeader, unusedOptions } from "./asking/request-options.ts";
import {
  type ApprovalResponse,
  type ResponsesRequest,
  responsesRequest,
  responsesTelling,
} from "./asking/responses-request.ts";
import { checkModel } from "./models.ts";
import { openAiBody } from "./openai-body.ts";
import { OpenAiProblem, unsupported, wrong } from "./openai-error.ts";
import { requestHeaders } from "./request-headers.ts";
import type { Served } from "./served.ts";
import { heardRun } from "./telling/heard-run.ts";
import { followed, type PartOfRun, partOfRun } from "./telling/part-of-run.ts";
import { namedByQuestion, namedByResponse, type ResponseSettings } from "./telling/response-object.ts";
import { ResponseTale } from "./telling/response-tale.ts";

/** `POST /v1/responses`, and what can be asked of a response later. */
export function responseRoutes(served: Served): Hono<ApiEnvironment> {
  const { api, door } = served;
  const routes = new Hono<ApiEnvironment>();

  routes.post("/v1/responses", async (context) => {
    const body = await openAiBody(context, responsesRequest);
    const { principal } = context.var;
    await checkModel(api, principal, body.model);
    const headers = unusedHeader(unusedOptions("responses", body));
    const answering = await asked(api, door, context, body);
    const settings = settingsOf(body);
    const all = { "X-Session-Id": answering.sessionId, ...headers };
    if (body.stream) return streamResponse(served, context, { answering, settings, headers: all });
    if (body.background) {
      const { tale } = await taleSoFar(api, principal, answering, settings);
      return context.json(tale.response, 200, all);
    }
    return wholeResponse(served, context, { answering, settings, headers: all });
  });

  routes.get("/v1/responses/:id", async (context) => {
    const { principal } = context.var;
    const part = await namedPart(api, principal, context.req.param("id"));
    const after = startingAfter(context.req.query("starting_after"));
    const headers = { "X-Session-Id": part.state.id };
    if (context.req.query("stream") === "true")
      return streamRun(api, context, followed(part), new ResponseTale(part, {}, after), headers);
    const { tale } = await taleSoFar(api, principal, answeringOf(part), {});
    return context.json(tale.response, 200, headers);
  });

  routes.post("/v1/responses/:id/cancel", async (context) => {
    const { principal } = context.var;
    const { state, run, part } = await namedPart(api, principal, context.req.param("id"));
    const command = { type: "cancelRun", runId: run.id } as const;
    await api.sessions.execute(principal, state.id, command).catch((error: unknown) => {
      // What has ended stays as it ended.
      if (!(error instanceof CommandRefusedError) || error.code !== "conflict") throw error;
    });
    const answering = { sessionId: state.id, runId: run.id, messageId: run.messageId, part };
    const { tale } = await taleSoFar(api, principal, answering, {});
    return context.json(tale.response, 200, { "X-Session-Id": state.id });
  });

  routes.delete("/v1/responses/:id", async (context) => {
    const { principal } = context.var;
    const id = context.req.param("id");
    const { state } = await namedPart(api, principal, id);
    await api.sessions.mark(principal, state.id, deletedMark(id));
    return context.json({ id, object: "response", deleted: true });
  });

  return routes;
}

interface Answer {
  readonly answering: Answering;
  readonly settings: ResponseSettings;
  readonly headers: Readonly<Record<string, string>>;
}

function streamResponse(
  served: Served,
  context: Context<ApiEnvironment>,
  { answering, settings, headers }: Answer,
): Response {
  const { api } = served;
  let part: PartOfRun | undefined;
  const opened = new OpenedTale();
  markWhenTold(served, context, () => (opened.isOver ? part : undefined));
  const open = async (signal: AbortSignal) => {
    part = await heardRun(api.sessions, context.var.principal, answering, signal);
    opened.tale = new ResponseTale(part, settings);
    return followed(part);
  };
  return streamRun(api, context, open, opened, headers);
}

async function wholeResponse(
  served: Served,
  context: Context<ApiEnvironment>,
  { answering, settings, headers }: Answer,
): Promise<Response> {
  const { api } = served;
  let part: PartOfRun | undefined;
  const opened = new OpenedTale();
  const left = await waitForAnswer(api, context, {
    async begin(signal) {
      part = await heardRun(api.sessions, context.var.principal, answering, signal);
      opened.tale = new ResponseTale(part, settings);
      return followed(part);
    },
    event: (recorded) => void opened.event(recorded),
    get isOver() {
      return opened.isOver;
    },
  });
  opened.end(left);
  markWhenTold(served, context, () => part);
  return context.json(opened.tale?.response, 200, { ...headers });
}

/** A tale of which it shows later what it is about. */
class OpenedTale {
  tale: ResponseTale | undefined;

  get isOver(): boolean {
    return this.tale?.isOver ?? false;
  }

  begin = () => this.tale?.begin() ?? "";
  event: ResponseTale["event"] = (recorded) => this.tale?.event(recorded) ?? "";
  end: ResponseTale["end"] = (left) => this.tale?.end(left) ?? "";
  broken: ResponseTale["broken"] = (problem) =>
    this.tale?.broken(problem) ??
    `event: error\ndata: ${JSON.stringify({ type: "error", message: problem.message, code: problem.code })}\n\n`;
}

async function asked(
  api: Api,
  door: ConversationDoor,
  context: Context<ApiEnvironment>,
  body: ResponsesRequest,
): Promise<Answering> {
  const { principal } = context.var;
  const input = await withoutReferences(api.sessions, principal, body.input);
  const told = responsesTelling({ ...body, input });
  const place = await placeOf(api, context, body);
  if (told.kind === "approvals") return answered(api, door, principal, told.approvals);
  const { key, isRepeated } = requestHeaders(context);
  const thinking =
    body.reasoning !== null && body.reasoning !== undefined && body.reasoning.effort !== "none";
  return door.ask({
    ...{ principal, telling: told.telling, agent: body.model, thinking, key, isRepeated, place },
  });
}

async function placeOf(api: Api, context: Context<ApiEnvironment>, body: ResponsesRequest): Promise<Place> {
  const { previous_response_id: previous, conversation } = body;
  const { sessionId } = requestHeaders(context);
  if (previous && conversation)
    throw wrong("conversation", "goes without previous_response_id: send one of them");
  if (previous) {
    const { state, run } = await namedPart(api, context.var.principal, previous, "previous_response_id");
    return { kind: "after", sessionId: state.id, runId: run.id };
  }
  if (conversation) {
    const id = typeof conversation === "string" ? conversation : conversation.id;
    await openSession(api.sessions, context.var.principal, id);
    return { kind: "session", id, make: false };
  }
  return sessionId === undefined ? { kind: "history" } : { kind: "session", id: sessionId, make: true };
}

/** Answers all that was asked; what goes on is told from the last of them. */
async function answered(
  api: Api,
  door: ConversationDoor,
  principal: Principal,
  approvals: readonly ApprovalResponse[],
): Promise<Answering> {
  let answering: Answering | undefined;
  for (const { approval_request_id: id, approve, reason } of approvals) {
    const named = namedByQuestion(id);
    const sessionId = named && (await api.sessions.sessionOfRun(principal, named.runId));
    const state = sessionId && (await openSession(api.sessions, principal, sessionId));
    const asked = state && named ? state.approvals.get(named.approvalId) : undefined;
    if (!state || !asked)
      throw new OpenAiProblem("not_found", `There is no approval request ${id}`, {
        ...{ param: "input", code: "approval_request_not_found" },
      });
    const text = reason ?? undefined;
    const isInWords = asked.request.tool === undefined && text !== undefined;
    const decision = isInWords ? "answered" : approve ? "approved" : "denied";
    answering = await door.answer(principal, state, asked, { decision, text });
  }
  if (!answering) throw wrong("input", "must answer something");
  return answering;
}

function settingsOf(body: ResponsesRequest): ResponseSettings {
  return {
    model: body.model,
    previousResponseId: body.previous_response_id ?? undefined,
    instructions: body.instructions ?? undefined,
    metadata: body.metadata ?? undefined,
    background: body.background ?? undefined,
  };
}

async function namedPart(
  api: Api,
  principal: Principal,
  id: string,
  param = "response_id",
): Promise<PartOfRun> {
  const named = namedByResponse(id);
  const sessionId = named && (await api.sessions.sessionOfRun(principal, named.runId));
  const state = sessionId === undefined ? undefined : await api.sessions.row(principal, sessionId);
  const isThere =
    state &&
    state.status !== "deleted" &&
    !(await api.sessions.marks(principal, state.id)).has(deletedMark(id));
  const part =
    isThere && named
      ? await partOfRun(api.sessions, principal, { sessionId: state.id, ...named })
      : undefined;
  if (part) return part;
  throw new OpenAiProblem("not_found", `There is no response ${id}`, { param, code: "response_not_found" });
}

/** A response as it is at the moment. */
async function taleSoFar(api: Api, principal: Principal, answering: Answering, settings: ResponseSettings) {
  const part = await partOfRun(api.sessions, principal, answering);
  if (!part) throw new CommandRefusedError("not_found", "There is no such response");
  const tale = new ResponseTale(part, settings);
  tale.begin();
  for await (const page of recordedEvents(api.sessions, principal, part.state, part.after))
    for (const recorded of page)
      if ("runId" in recorded.event && recorded.event.runId === part.run.id) tale.event(recorded);
  if (part.run.status === "waiting") tale.end("waiting");
  return { tale };
}

function answeringOf({ state, run, part }: PartOfRun): Answering {
  return { sessionId: state.id, runId: run.id, messageId: run.messageId, part };
}

function deletedMark(id: string): string {
  return `openai:deleted:${id}`;
}

function startingAfter(text: string | undefined): number {
  if (text === undefined) return -1;
  if (!/^\d{1,12}$/.test(text))
    throw unsupported("starting_after", "must be the sequence_number of an event");
  return Number(text);
}
