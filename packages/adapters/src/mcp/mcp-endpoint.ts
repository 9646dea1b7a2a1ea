import { isJSONRPCRequest, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { sseFrame } from "@parley/a2a";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AdapterEnvironment, AdapterHost } from "../adapter-host.ts";
import { type ProblemCode, problemAnswer, problemOf } from "../problem.ts";
import type { ProtocolAdapter } from "../protocol-adapter.ts";
import { callPlaceIn } from "./call-tokens.ts";
import { accepts, checkTakesStream, streamChanges } from "./change-stream.ts";
import { STATELESS_VERSION, sessionCaller, VERSION_HEADER } from "./mcp-caller.ts";
import { errorMember, McpError, mcpErrorOf, mcpRefusal } from "./mcp-error.ts";
import { handleMessage } from "./posted-message.ts";
import { followCall } from "./tools-call.ts";

type HttpContext = Context<AdapterEnvironment>;

/** The `id` of the event with which a stream of changes begins. */
const CHANGES = "changes";
/** Problems with what a request asks for are JSON-RPC errors with status 200. */
const IN_BAND: ReadonlySet<ProblemCode> = new Set(["invalid", "not_found", "gone", "conflict", "key_reused"]);

async function mcpPost(host: AdapterHost, context: HttpContext): Promise<Response> {
  let id: string | number | null = null;
  try {
    const accepted = context.req.header("Accept");
    if (!accepts(accepted, "application/json") && !accepts(accepted, "text/event-stream"))
      throw new McpError(-32_000, "The header Accept must name application/json and text/event-stream", {
        status: 406,
      });
    const body = await parsedBody(context);
    if (isJSONRPCRequest(body)) ({ id } = body);
    return await handleMessage(host, context, body);
  } catch (error) {
    return refused(context, error, id);
  }
}

/** Streams changes, or the rest of an answer that was cut off. */
async function mcpGet(host: AdapterHost, context: HttpContext): Promise<Response> {
  try {
    if ((context.req.header(VERSION_HEADER) ?? "") >= STATELESS_VERSION) return notAllowed(context);
    checkTakesStream(context);
    const caller = sessionCaller(host, context);
    const last = context.req.header("Last-Event-ID");
    const place = last === undefined ? undefined : callPlaceIn(last);
    if (place) return await followCall(context, caller, place);
    if (last !== undefined && last !== CHANGES)
      throw new McpError(-32_000, "Last-Event-ID is none that we gave: call again", { status: 400 });
    const subscription = { tools: true, resources: true, updated: [] };
    const begin = caller.client.version < "2025-11-25" ? "" : sseFrame("", { id: CHANGES });
    return streamChanges(context, caller, subscription, {
      begin,
      params: {},
      end: "",
      isResumed: last === CHANGES,
    });
  } catch (error) {
    return refused(context, error, null);
  }
}

/** Refuses other methods; there is no session to delete, since none is kept. */
function notAllowed(context: HttpContext): Response {
  context.header("Allow", "GET, POST");
  return errorAnswer(
    context,
    new McpError(-32_000, "This is not allowed here: use POST or GET", { status: 405 }),
    null,
  );
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
  const { code, message, data, status } = mcpErrorOf(problem);
  if (id !== null && IN_BAND.has(problem.code))
    return errorAnswer(context, new McpError(code, message, { data }), id);
  const { headers } = problemAnswer(problem);
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return errorAnswer(context, new McpError(code, message, { data, status }), id);
}

function errorAnswer(context: HttpContext, error: McpError, id: string | number | null): Response {
  const body = JSON.stringify({ jsonrpc: "2.0", id, error: errorMember(error) });
  return context.body(body, error.status as ContentfulStatusCode, { "Content-Type": "application/json" });
}

/** MCP by streamable HTTP, in all its revisions: agents as tools, sessions as resources. */
export const mcpAdapter: ProtocolAdapter = {
  paths: /^\/mcp\/?$/,
  // Arguments may be files.
  bodyBytes: 16 * 1_048_576,
  routes(host) {
    const routes = new Hono<AdapterEnvironment>();
    routes.post("/mcp", (context) => mcpPost(host, context));
    routes.get("/mcp", (context) => mcpGet(host, context));
    routes.all("/mcp", notAllowed);
    return routes;
  },
  refusal: mcpRefusal,
};
