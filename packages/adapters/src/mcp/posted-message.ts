import {
  classifyInboundRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCRequest,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { definedMembers } from "@parley/a2a";
import type { Context } from "hono";
import { z } from "zod";
import type { AdapterEnvironment, AdapterHost } from "../adapter-host.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import { answerForm } from "./approval-form.ts";
import { approvalOf, MAX_ID } from "./call-tokens.ts";
import { cancelRequest } from "./cancel-call.ts";
import {
  elicitsBy,
  envelopeClient,
  type McpCaller,
  mcpCaller,
  negotiatedVersion,
  newSessionId,
  STATELESS_VERSION,
  sessionCaller,
  VERSION_HEADER,
} from "./mcp-caller.ts";
import { checked, McpError } from "./mcp-error.ts";
import { executeMethod, isResponse, type McpRequest } from "./mcp-methods.ts";

type HttpContext = Context<AdapterEnvironment>;

const MAX_BATCH = 100;
/** The reason that SDKs give when a call took longer than they wait. */
const TIMED_OUT = /\btimed out\b|\btime-?out\b/i;

const initializeParams = z.looseObject({ protocolVersion: z.string().max(50), capabilities: z.unknown() });
const cancelledParams = z.looseObject({
  requestId: z.union([z.string(), z.number()]),
  reason: z.string().max(1_000).optional().catch(undefined),
});

/** Answers or accepts a message. Throws an `McpError`, or what the API throws. */
export async function handleMessage(
  host: AdapterHost,
  context: HttpContext,
  body: unknown,
): Promise<Response> {
  const header = (name: string) => context.req.header(name);
  const headers = definedMembers({
    protocolVersionHeader: header(VERSION_HEADER),
    mcpMethodHeader: header("Mcp-Method"),
    mcpNameHeader: header("Mcp-Name"),
  });
  const classified = classifyInboundRequest({ httpMethod: "POST", body, ...headers });
  switch (classified.kind) {
    case "reject": {
      const { code, message, data, httpStatus: status } = classified;
      throw new McpError(code, message, { status, data });
    }
    case "modern": {
      const { classification, message } = classified;
      if (classification.revision !== STATELESS_VERSION) throw unsupported(classification.revision);
      // Clients of this revision cancel by closing the connection.
      if (classified.messageKind === "notification") return context.body(null, 202);
      const request = message as JSONRPCRequest;
      checkHeaders(request, header);
      const meta = (request.params as { _meta: Record<string, unknown> })._meta;
      return answer(context, mcpCaller(host, context, envelopeClient(meta)), request);
    }
    case "legacy":
      return handleLegacy(host, context, body);
  }
}

async function handleLegacy(host: AdapterHost, context: HttpContext, body: unknown): Promise<Response> {
  if (Array.isArray(body)) {
    if (body.length > MAX_BATCH || body.some((one) => isJSONRPCRequest(one)))
      throw new McpError(ProtocolErrorCode.InvalidRequest, "Send each request by itself, not in a batch", {
        status: 400,
      });
    for (const one of body) await accept(sessionCaller(host, context), one, context);
    return context.body(null, 202);
  }
  if (!isJSONRPCRequest(body)) {
    await accept(sessionCaller(host, context), body, context);
    return context.body(null, 202);
  }
  if (body.method !== "initialize") return answer(context, sessionCaller(host, context), body);
  const data = checked(initializeParams, body.params);
  const version = negotiatedVersion(data.protocolVersion);
  const elicits = elicitsBy(data.capabilities);
  context.header("Mcp-Session-Id", newSessionId(version, elicits));
  return answer(context, mcpCaller(host, context, { version, elicits }), body);
}

/** Takes a message that needs no answer: a cancellation, or a user's answer. */
async function accept(caller: McpCaller, message: unknown, context: HttpContext): Promise<void> {
  if (isJSONRPCNotification(message)) {
    if (message.method !== "notifications/cancelled") return;
    // Viewers only wait for answers, and may cancel nothing.
    if (caller.identity.role === "viewer") return;
    const { success, data } = cancelledParams.safeParse(message.params);
    // A timeout does not mean that nobody wants the answer: it counts as a disconnect.
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

async function answer(context: HttpContext, caller: McpCaller, request: McpRequest): Promise<Response> {
  const { id } = request;
  if (String(id).length > MAX_ID)
    throw new McpError(ProtocolErrorCode.InvalidRequest, `An id has up to ${MAX_ID} characters`, {
      status: 400,
    });
  const answer = await executeMethod(caller, request, context);
  if (isResponse(answer)) return answer;
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

const MISMATCH = -32_020;
/** The member of `params` that a method's header `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, string>> = { "tools/call": "name", "resources/read": "uri" };
const BASE64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Throws where a request of the stateless revision lacks a header that repeats its body, or contradicts it. */
function checkHeaders(
  { method, params }: { readonly method: string; readonly params?: unknown },
  header: (name: string) => string | undefined,
): void {
  if (header("MCP-Protocol-Version") === undefined) throw mismatch("MCP-Protocol-Version", "is missing");
  if (header("Mcp-Method") === undefined) throw mismatch("Mcp-Method", "is missing");
  const member = NAMED_BY[method];
  const value = member === undefined ? undefined : (params as Record<string, unknown> | undefined)?.[member];
  if (typeof value !== "string") return;
  const given = header("Mcp-Name");
  if (given === undefined) throw mismatch("Mcp-Name", "is missing");
  if (decoded(given.trim()) !== value) throw mismatch("Mcp-Name", `is not params.${member}`);
}

function decoded(value: string): string {
  const [, base64] = BASE64.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString();
}

function mismatch(name: string, what: string): McpError {
  return new McpError(MISMATCH, `The header ${name} ${what}`, { status: 400 });
}
