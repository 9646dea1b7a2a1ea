import type { Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { AdapterEnvironment } from "../adapter-host.ts";
import { openSession } from "../conversations/session-reading.ts";
import type { FollowedRun } from "../followed-run.ts";
import { checkCanStream, type RunStreamEncoder, streamRun, waitForAnswer } from "../run-stream.ts";
import type { ConversationTarget, RunPartRef } from "./conversation/chat-command.ts";
import { answerQuestion } from "./conversation/chat-resolution.ts";
import { markWhenDelivered, type OpenAiContext } from "./conversation/delivery-receipts.ts";
import { ResponseEncoder, responseErrorFrame } from "./encoding/response-encoder.ts";
import { namedByQuestion, type ResponseSettings } from "./encoding/response-object.ts";
import { followed, type RunPart, resolveAnsweringRun } from "./encoding/run-part.ts";
import { checkModel } from "./models.ts";
import { namedResponse, responseSoFar } from "./named-response.ts";
import { invalidParam, OpenAiProblem } from "./openai-error.ts";
import { withoutReferences } from "./parsing/item-references.ts";
import { openAiBody, requestHeaders, unusedHeader, unusedOptions } from "./parsing/request-options.ts";
import {
  type ApprovalResponse,
  type ResponsesRequest,
  responsesRequest,
  responsesTranscript,
} from "./parsing/responses-request.ts";
import { settingsOf } from "./response-notes.ts";

/** `POST /v1/responses`. */
export function responseRoutes(served: OpenAiContext): Hono<AdapterEnvironment> {
  const { host } = served;
  const routes = new Hono<AdapterEnvironment>();

  routes.post("/v1/responses", async (context) => {
    const body = await openAiBody(context, responsesRequest);
    const { principal } = context.var;
    await checkModel(host, principal, body.model);
    const headers = unusedHeader(unusedOptions("responses", body));
    if (body.stream || !body.background) checkCanStream(host, principal);
    const answering = await resolveRequest(served, context, body);
    const settings = settingsOf(body);
    const all = { "X-Session-Id": answering.sessionId, ...headers };
    if (body.stream) return streamResponse(served, context, { answering, settings, headers: all });
    if (body.background) {
      const { part, encoder } = await responseSoFar(served, principal, answering, settings);
      await served.notes.save(principal, part, settings);
      return context.json(encoder.response, 200, all);
    }
    return wholeResponse(served, context, { answering, settings, headers: all });
  });

  return routes;
}

interface Answer {
  readonly answering: RunPartRef;
  readonly settings: ResponseSettings;
  readonly headers: Readonly<Record<string, string>>;
}

function streamResponse(
  served: OpenAiContext,
  context: Context<AdapterEnvironment>,
  answer: Answer,
): Response {
  const opened = new DeferredResponse();
  markWhenDelivered(served, context, () => (opened.isOver ? opened.part : undefined));
  const open = (signal: AbortSignal) => opened.open(served, context.var.principal, answer, signal);
  return streamRun(served.host, context, open, opened, answer.headers);
}

async function wholeResponse(
  served: OpenAiContext,
  context: Context<AdapterEnvironment>,
  answer: Answer,
): Promise<Response> {
  const opened = new DeferredResponse();
  const left = await waitForAnswer(served.host, context, {
    begin: (signal) => opened.open(served, context.var.principal, answer, signal),
    event: (recorded) => void opened.event(recorded),
    get isOver() {
      return opened.isOver;
    },
  });
  opened.end(left);
  markWhenDelivered(served, context, () => opened.part);
  return context.json(opened.encoder?.response, 200, { ...answer.headers });
}

async function resolveRequest(
  served: OpenAiContext,
  context: Context<AdapterEnvironment>,
  body: ResponsesRequest,
): Promise<RunPartRef> {
  const { host, resolver } = served;
  const { principal } = context.var;
  const input = await withoutReferences(host.sessions, principal, body.input);
  const read = responsesTranscript({ ...body, input });
  const target = await targetOf(served, context, body);
  if (read.kind === "approvals") return answerApprovals(served, principal, read.approvals);
  const { key, isRepeated } = await requestHeaders(host, context);
  const thinking =
    body.reasoning !== null && body.reasoning !== undefined && body.reasoning.effort !== "none";
  const { transcript } = read;
  return resolver.resolve({ principal, transcript, agent: body.model, thinking, key, isRepeated, target });
}

async function targetOf(
  served: OpenAiContext,
  context: Context<AdapterEnvironment>,
  body: ResponsesRequest,
): Promise<ConversationTarget> {
  const { previous_response_id: previous, conversation } = body;
  const { sessionId } = await requestHeaders(served.host, context);
  if (previous && conversation)
    throw invalidParam("conversation", "goes without previous_response_id: send one of them");
  if (previous) {
    const { part } = await namedResponse(served, context.var.principal, previous, "previous_response_id");
    return { kind: "after", sessionId: part.state.id, runId: part.run.id };
  }
  if (conversation) {
    const id = typeof conversation === "string" ? conversation : conversation.id;
    await openSession(served.host.sessions, context.var.principal, id);
    return { kind: "session", id, create: false };
  }
  return sessionId === undefined ? { kind: "history" } : { kind: "session", id: sessionId, create: true };
}

/** Answers all approval requests; the response continues from the last of them. */
async function answerApprovals(
  { host }: OpenAiContext,
  principal: Principal,
  approvals: readonly ApprovalResponse[],
): Promise<RunPartRef> {
  let answering: RunPartRef | undefined;
  for (const { approval_request_id: id, approve, reason } of approvals) {
    const named = namedByQuestion(id);
    const sessionId = named && (await host.sessions.sessionOfRun(principal, named.runId));
    const state = sessionId && (await openSession(host.sessions, principal, sessionId));
    const asked = state && named ? state.approvals.get(named.approvalId) : undefined;
    if (!state || !asked)
      throw new OpenAiProblem("not_found", `There is no approval request ${id}`, {
        ...{ param: "input", code: "approval_request_not_found" },
      });
    const text = reason ?? undefined;
    const isInWords = asked.request.tool === undefined && text !== undefined;
    const decision = isInWords ? "answered" : approve ? "approved" : "denied";
    const answer = { approvalId: asked.id, decision, text } as const;
    answering = await answerQuestion(host.sessions, principal, state, asked, answer);
  }
  if (!answering) throw invalidParam("input", "must answer something");
  return answering;
}

/** A response whose run is known only after a while: the message may have gone to a run under way. */
class DeferredResponse implements RunStreamEncoder {
  part: RunPart | undefined;
  encoder: ResponseEncoder | undefined;

  /** Waits until the run is known, and notes the request's settings; undefined: the signal aborted. */
  async open(
    { host, notes }: Pick<OpenAiContext, "host" | "notes">,
    principal: Principal,
    { answering, settings }: { readonly answering: RunPartRef; readonly settings: ResponseSettings },
    signal: AbortSignal,
  ): Promise<FollowedRun | undefined> {
    const part = await resolveAnsweringRun(host.sessions, principal, answering, signal);
    if (!part) return undefined;
    await notes.save(principal, part, settings);
    this.part = part;
    this.encoder = new ResponseEncoder(part, settings);
    return followed(part);
  }

  get isOver(): boolean {
    return this.encoder?.isOver ?? false;
  }

  begin = () => this.encoder?.begin() ?? "";
  event: RunStreamEncoder["event"] = (recorded) => this.encoder?.event(recorded) ?? "";
  end: RunStreamEncoder["end"] = (left) => this.encoder?.end(left) ?? "";
  broken: RunStreamEncoder["broken"] = (problem) =>
    this.encoder?.broken(problem) ?? responseErrorFrame(problem, 0);
}
