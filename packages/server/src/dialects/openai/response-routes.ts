import type { Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { openSession } from "../../api/session-reading.ts";
import { checkStreamable, streamRun } from "../run-stream.ts";
import { waitForAnswer } from "../whole-answer.ts";
import type { Answering, Place } from "./asking/asking.ts";
import { withoutReferences } from "./asking/item-references.ts";
import { unusedHeader, unusedOptions } from "./asking/request-options.ts";
import {
  type ApprovalResponse,
  type ResponsesRequest,
  responsesRequest,
  responsesTelling,
} from "./asking/responses-request.ts";
import { markWhenTold } from "./mark-when-told.ts";
import { checkModel } from "./models.ts";
import { namedResponse, responseSoFar } from "./named-response.ts";
import { openAiBody } from "./openai-body.ts";
import { OpenAiProblem, wrong } from "./openai-error.ts";
import { OpenedTale } from "./opened-tale.ts";
import { requestHeaders } from "./request-headers.ts";
import { settingsOf } from "./response-notes.ts";
import type { Served } from "./served.ts";
import { namedByQuestion, type ResponseSettings } from "./telling/response-object.ts";

/** `POST /v1/responses`. */
export function responseRoutes(served: Served): Hono<ApiEnvironment> {
  const { api } = served;
  const routes = new Hono<ApiEnvironment>();

  routes.post("/v1/responses", async (context) => {
    const body = await openAiBody(context, responsesRequest);
    const { principal } = context.var;
    await checkModel(api, principal, body.model);
    const headers = unusedHeader(unusedOptions("responses", body));
    if (body.stream || !body.background) checkStreamable(api, principal);
    const answering = await asked(served, context, body);
    const settings = settingsOf(body);
    const all = { "X-Session-Id": answering.sessionId, ...headers };
    if (body.stream) return streamResponse(served, context, { answering, settings, headers: all });
    if (body.background) {
      const { part, tale } = await responseSoFar(served, principal, answering, settings);
      await served.notes.say(principal, part, settings);
      return context.json(tale.response, 200, all);
    }
    return wholeResponse(served, context, { answering, settings, headers: all });
  });

  return routes;
}

interface Answer {
  readonly answering: Answering;
  readonly settings: ResponseSettings;
  readonly headers: Readonly<Record<string, string>>;
}

function streamResponse(served: Served, context: Context<ApiEnvironment>, answer: Answer): Response {
  const opened = new OpenedTale();
  markWhenTold(served, context, () => (opened.isOver ? opened.part : undefined));
  const open = (signal: AbortSignal) => opened.open(served, context.var.principal, answer, signal);
  return streamRun(served.api, context, open, opened, answer.headers);
}

async function wholeResponse(
  served: Served,
  context: Context<ApiEnvironment>,
  answer: Answer,
): Promise<Response> {
  const opened = new OpenedTale();
  const left = await waitForAnswer(served.api, context, {
    begin: (signal) => opened.open(served, context.var.principal, answer, signal),
    event: (recorded) => void opened.event(recorded),
    get isOver() {
      return opened.isOver;
    },
  });
  opened.end(left);
  markWhenTold(served, context, () => opened.part);
  return context.json(opened.tale?.response, 200, { ...answer.headers });
}

async function asked(
  served: Served,
  context: Context<ApiEnvironment>,
  body: ResponsesRequest,
): Promise<Answering> {
  const { api, door } = served;
  const { principal } = context.var;
  const input = await withoutReferences(api.sessions, principal, body.input);
  const told = responsesTelling({ ...body, input });
  const place = await placeOf(served, context, body);
  if (told.kind === "approvals") return answered(served, principal, told.approvals);
  const { key, isRepeated } = await requestHeaders(api, context);
  const thinking =
    body.reasoning !== null && body.reasoning !== undefined && body.reasoning.effort !== "none";
  return door.ask({
    ...{ principal, telling: told.telling, agent: body.model, thinking, key, isRepeated, place },
  });
}

async function placeOf(
  served: Served,
  context: Context<ApiEnvironment>,
  body: ResponsesRequest,
): Promise<Place> {
  const { previous_response_id: previous, conversation } = body;
  const { sessionId } = await requestHeaders(served.api, context);
  if (previous && conversation)
    throw wrong("conversation", "goes without previous_response_id: send one of them");
  if (previous) {
    const { part } = await namedResponse(served, context.var.principal, previous, "previous_response_id");
    return { kind: "after", sessionId: part.state.id, runId: part.run.id };
  }
  if (conversation) {
    const id = typeof conversation === "string" ? conversation : conversation.id;
    await openSession(served.api.sessions, context.var.principal, id);
    return { kind: "session", id, make: false };
  }
  return sessionId === undefined ? { kind: "history" } : { kind: "session", id: sessionId, make: true };
}

/** Answers all that was asked; what goes on is told from the last of them. */
async function answered(
  { api, door }: Served,
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
