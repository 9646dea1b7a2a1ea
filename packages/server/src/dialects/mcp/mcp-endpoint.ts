import {
  classifyInboundRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCRequest,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import { problemAnswer, problemOf } from "../../api/problem.ts";
import { answerForm } from "./answer-form.ts";
import { approvalOf } from "./approval-request-id.ts";
import { callPlaceIn } from "./call-place.ts";
import { cancelRequest } from "./cancel-call.ts";
import { streamChanges } from "./change-stream.ts";
import { followCall } from "./follow-call.ts";
import type { McpCaller } from "./mcp-caller.ts";
import {
  elicitsBy,
  envelopeClient,
  type McpClient,
  negotiatedVersion,
  newSessionId,
  STATELESS_VERSION,
  sessionClient,
} from "./mcp-client.ts";
import { errorMember, McpError, mcpErrorOf } from "./mcp-error.ts";
import { checkHeaders } from "./mcp-headers.ts";
import { carriedOut, isOnItsWay, type McpRequest } from "./mcp-methods.ts";

type HttpContext = Context<ApiEnvironment>;

/** The `id` of the event with which a stream of changes begins. */
const CHANGES = "changes";
const MODERN = "MCP-Protocol-Version";

const initializeParams = z.looseObject({ protocolVersion: z.string().max(50), capabilities: z.unknown() });
const cancelledParams = z.looseObject({
  requestId: z.union([z.string(), z.number()]),
  reason: z.string().max(1_000).optional().catch(undefined),
});

/** One message of a client's: a request, which is answered, or what needs no answer. */
export async function mcpPost(api: Api, context: HttpContext): Promise<Response> {
  let id: string | number | null = null;
  try {
    const accepted = context.req.header("Accept") ?? "";
    if (!accepts(accepted, "application/json") || !accepts(accepted, "text/event-stream"))
      throw new McpError(-32_000, "The header Accept must name application/json and text/event-stream", {
        status: 406,
      });
    const body = await parsedBody(context);
    if (isJSONRPCRequest(body)) ({ id } = body);
    return await posted(api, context, body);
  } catch (error) {
    return refused(context, error, id);
  }
}

/** The stream of what changes, or the rest of an answer that was cut off. */
export async function mcpGet(api: Api, context: HttpContext): Promise<Response> {
  try {
    if ((context.req.header(MODERN) ?? "") >= STATELESS_VERSION) return notAllowed(context);
    if (!accepts(context.req.header("Accept") ?? "", "text/event-stream"))
      throw new McpError(-32_000, "The header Accept must name text/event-stream", { status: 406 });
    const caller = callerOf(api, context, clientOf(context));
    const last = context.req.header("Last-Event-ID");
    const place = last === undefined ? undefined : callPlaceIn(last);
    if (place) return await followCall(context, caller, place, { endsWithClient: false });
    if (last !== undefined && last !== CHANGES)
      throw new McpError(-32_000, "Last-Event-ID is none that we gave: call again", { status: 400 });
    const heard = { tools: true, resources: true, updated: [] };
    const begin = caller.client.version < "2025-11-25" ? "" : `id: ${CHANGES}\ndata: \n\n`;
    return streamChanges(context, caller, heard, { begin, params: {}, end: "", isResumed: last === CHANGES });
  } catch (error) {
    return refused(context, error, null);
  }
}

/** What else HTTP has: there is no session to delete, since none is kept. */
export function notAllowed(context: HttpContext): Response {
  context.header("Allow", "GET, POST");
  return errorAnswer(
    context,
    new McpError(-32_000, "This is not allowed here: use POST or GET", { status: 405 }),
    null,
  );
}

async function posted(api: Api, context: HttpContext, body: unknown): Promise<Response> {
  const header = (name: string) => context.req.header(name);
  const classified = classifyInboundRequest({
    ...{ httpMethod: "POST", body },
    ...given("protocolVersionHeader", header(MODERN)),
    ...given("mcpMethodHeader", header("Mcp-Method")),
    ...given("mcpNameHeader", header("Mcp-Name")),
  });
  switch (classified.kind) {
    case "reject": {
      const { code, message, data, httpStatus: status } = classified;
      throw new McpError(code, message, { status, data });
    }
    case "modern": {
      const { classification, message } = classified;
      if (classification.revision !== STATELESS_VERSION) throw unsupported(classification.revision);
      // What a client of this revision has to say without being asked, it says by closing.
      if (classified.messageKind === "notification") return context.body(null, 202);
      const request = message as JSONRPCRequest;
      checkHeaders(request, header);
      const meta = (request.params as { _meta: Record<string, unknown> })._meta;
      return answered(context, callerOf(api, context, envelopeClient(meta)), request);
    }
    case "legacy":
      return spoken(api, context, body);
  }
}

async function spoken(api: Api, context: HttpContext, body: unknown): Promise<Response> {
  if (Array.isArray(body)) {
    if (body.length > 100 || body.some((one) => isJSONRPCRequest(one)))
      throw new McpError(ProtocolErrorCode.InvalidRequest, "Send each request by itself, not in a batch", {
        status: 400,
      });
    for (const one of body) await heard(callerOf(api, context, clientOf(context)), one);
    return context.body(null, 202);
  }
  if (!isJSONRPCRequest(body)) {
    await heard(callerOf(api, context, clientOf(context)), body);
    return context.body(null, 202);
  }
  if (body.method !== "initialize") return answered(context, callerOf(api, context, clientOf(context)), body);
  const { success, data, error } = initializeParams.safeParse(body.params);
  if (!success) {
    const [issue] = error.issues;
    throw new McpError(ProtocolErrorCode.InvalidParams, `params.${issue?.path.join(".")}: ${issue?.message}`);
  }
  const version = negotiatedVersion(data.protocolVersion);
  const elicits = elicitsBy(data.capabilities);
  context.header("Mcp-Session-Id", newSessionId(version, elicits));
  return answered(context, callerOf(api, context, { version, elicits }), body);
}

/** What needs no answer: that a call is cancelled, or what the client's user said. */
async function heard(caller: McpCaller, message: unknown): Promise<void> {
  if (isJSONRPCNotification(message)) {
    if (message.method !== "notifications/cancelled") return;
    const { success, data } = cancelledParams.safeParse(message.params);
    if (success) await cancelRequest(caller, data.requestId, data.reason);
    return;
  }
  const isResult = isJSONRPCResultResponse(message);
  if (!isResult && !isJSONRPCErrorResponse(message)) return;
  const approval = approvalOf(message.id);
  if (!approval)
    throw new McpError(ProtocolErrorCode.InvalidRequest, "This answers nothing that was asked", {
      status: 400,
    });
  // A client that cannot ask its user leaves the question where others can answer it.
  if (isResult) await answerForm(caller, approval, message.result);
}

async function answered(context: HttpContext, caller: McpCaller, request: McpRequest): Promise<Response> {
  const answer = await carriedOut(caller, request, context);
  if (isOnItsWay(answer)) return answer;
  const { id } = request;
  return context.body(JSON.stringify({ jsonrpc: "2.0", id, result: answer }), 200, {
    "Content-Type": "application/json",
  });
}

function clientOf(context: HttpContext): McpClient {
  return sessionClient(context.req.header("Mcp-Session-Id"), context.req.header(MODERN));
}

function callerOf(api: Api, context: HttpContext, client: McpClient): McpCaller {
  const { principal, identity } = context.var;
  return { ...{ api, principal, identity, client }, origin: new URL(context.req.url).origin };
}

async function parsedBody(context: HttpContext): Promise<unknown> {
  try {
    return JSON.parse(await context.req.text());
  } catch {
    throw new McpError(ProtocolErrorCode.ParseError, "The body is not JSON", { status: 400 });
  }
}

function refused(context: HttpContext, error: unknown, id: string | number | null): Response {
  if (error instanceof McpError) return errorAnswer(context, error, id);
  const problem = problemOf(error);
  if (!problem) throw error;
  const { headers } = problemAnswer(problem);
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return errorAnswer(context, mcpErrorOf(problem), id);
}

function errorAnswer(context: HttpContext, error: McpError, id: string | number | null): Response {
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: errorMember(error) });
  return context.body(body, error.status as ContentfulStatusCode, { "Content-Type": "application/json" });
}

function unsupported(requested = "unknown"): McpError {
  const supported = [STATELESS_VERSION];
  return new McpError(
    ProtocolErrorCode.UnsupportedProtocolVersion,
    `Revision ${requested} is not spoken here`,
    {
      ...{ status: 400, data: { supported, requested } },
    },
  );
}

function accepts(header: string, type: string): boolean {
  const [kind = ""] = type.split("/");
  return header
    .split(",")
    .some((one) => [type, `${kind}/*`, "*/*"].includes(one.split(";")[0]?.trim().toLowerCase() ?? ""));
}

function given<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [key in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: string };
}
