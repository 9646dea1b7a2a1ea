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
import { z } from "zod";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import { answerForm } from "./answer-form.ts";
import { approvalOf } from "./approval-request-id.ts";
import { LONGEST_ID } from "./call-place.ts";
import { cancelRequest } from "./cancel-call.ts";
import { checked } from "./checked-params.ts";
import { type McpCaller, mcpCaller, sessionCaller } from "./mcp-caller.ts";
import {
  elicitsBy,
  envelopeClient,
  negotiatedVersion,
  newSessionId,
  STATELESS_VERSION,
  VERSION_HEADER,
} from "./mcp-client.ts";
import { McpError } from "./mcp-error.ts";
import { checkHeaders } from "./mcp-headers.ts";
import { carriedOut, isOnItsWay, type McpRequest } from "./mcp-methods.ts";

type HttpContext = Context<ApiEnvironment>;

const MOST_AT_ONCE = 100;
/** How the SDKs say why they cancel a call that took longer than they wait. */
const TIMED_OUT = /\btimed out\b|\btime-?out\b/i;

const initializeParams = z.looseObject({ protocolVersion: z.string().max(50), capabilities: z.unknown() });
const cancelledParams = z.looseObject({
  requestId: z.union([z.string(), z.number()]),
  reason: z.string().max(1_000).optional().catch(undefined),
});

/** What a message comes to: an answer, or that it was heard. Throws an `McpError`, or what the API throws. */
export async function posted(api: Api, context: HttpContext, body: unknown): Promise<Response> {
  const header = (name: string) => context.req.header(name);
  const classified = classifyInboundRequest({
    ...{ httpMethod: "POST", body },
    ...given("protocolVersionHeader", header(VERSION_HEADER)),
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
      return answered(context, mcpCaller(api, context, envelopeClient(meta)), request);
    }
    case "legacy":
      return spoken(api, context, body);
  }
}

async function spoken(api: Api, context: HttpContext, body: unknown): Promise<Response> {
  if (Array.isArray(body)) {
    if (body.length > MOST_AT_ONCE || body.some((one) => isJSONRPCRequest(one)))
      throw new McpError(ProtocolErrorCode.InvalidRequest, "Send each request by itself, not in a batch", {
        status: 400,
      });
    for (const one of body) await heard(sessionCaller(api, context), one, context);
    return context.body(null, 202);
  }
  if (!isJSONRPCRequest(body)) {
    await heard(sessionCaller(api, context), body, context);
    return context.body(null, 202);
  }
  if (body.method !== "initialize") return answered(context, sessionCaller(api, context), body);
  const data = checked(initializeParams, body.params);
  const version = negotiatedVersion(data.protocolVersion);
  const elicits = elicitsBy(data.capabilities);
  context.header("Mcp-Session-Id", newSessionId(version, elicits));
  return answered(context, mcpCaller(api, context, { version, elicits }), body);
}

/** What needs no answer: that a call is cancelled, or what the client's user said. */
async function heard(caller: McpCaller, message: unknown, context: HttpContext): Promise<void> {
  if (isJSONRPCNotification(message)) {
    if (message.method !== "notifications/cancelled") return;
    // Viewers wait for answers at most, and whoever stops waiting ends nothing.
    if (caller.identity.role === "viewer") return;
    const { success, data } = cancelledParams.safeParse(message.params);
    // A client that waited too long does not say that nobody wants the answer: that is as if it were cut off.
    if (success && (!TIMED_OUT.test(data.reason ?? "") || cancelsOnDisconnect(context)))
      await cancelRequest(caller, data.requestId, data.reason);
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
  const { id } = request;
  if (String(id).length > LONGEST_ID)
    throw new McpError(ProtocolErrorCode.InvalidRequest, `An id has up to ${LONGEST_ID} characters`, {
      status: 400,
    });
  const answer = await carriedOut(caller, request, context);
  if (isOnItsWay(answer)) return answer;
  return context.body(JSON.stringify({ jsonrpc: "2.0", id, result: answer }), 200, {
    "Content-Type": "application/json",
  });
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

function given<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [key in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: string };
}
