import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import {
  ProtocolErrorCode,
  type ServerCapabilities,
  SUBSCRIPTION_ID_META_KEY,
} from "@modelcontextprotocol/server";
import type { Context } from "hono";
import { z } from "zod";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { answerForm } from "./answer-form.ts";
import { KEY_META } from "./call-key.ts";
import { runIn } from "./call-state.ts";
import { frame } from "./call-teller.ts";
import { streamChanges } from "./change-stream.ts";
import { followCall } from "./follow-call.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { isStateless, type McpClient, STATELESS_VERSION } from "./mcp-client.ts";
import { McpError } from "./mcp-error.ts";
import { serverInfo, stampedResult } from "./mcp-results.ts";
import { completeId } from "./resources/complete-id.ts";
import { listResources, readResource, resourceTemplates } from "./resources/session-resources.ts";
import { toolsFor } from "./tools/all-tools.ts";
import { callTool } from "./tools/call-tool.ts";

/** One request of a client's. */
export interface McpRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params?: unknown;
}

/** A result, or an answer that is on its way already. */
export type MethodAnswer = object;

/** Whether the answer is written by somebody else already. */
export function isOnItsWay(answer: MethodAnswer): answer is Response {
  return answer === RESPONSE_ALREADY_SENT;
}

type Method = (
  caller: McpCaller,
  request: McpRequest,
  context: Context<ApiEnvironment>,
) => Promise<MethodAnswer>;

const INSTRUCTIONS =
  "Parley hosts agents. ask_supervisor plans and hands work to them; ask_NAME asks one directly. Pass the `session` of an answer to go on with that conversation. What changes something asks a person first: such a call waits for them, and await_answer gives its answer later.";

const token = z.union([z.string().max(1_000), z.number()]);
const cursorParams = z.looseObject({ cursor: z.string().max(100).optional() });
const callParams = z.looseObject({
  name: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()).optional(),
  inputResponses: z.record(z.string().max(300), z.unknown()).optional(),
  requestState: z.string().max(2_000).optional(),
  task: z
    .undefined({ error: "is not known here: call the tool without it, and await_answer later" })
    .optional(),
  _meta: z
    .looseObject({ progressToken: token.optional(), [KEY_META]: z.string().min(1).max(200).optional() })
    .optional(),
});
const readParams = z.looseObject({ uri: z.string().max(2_000) });
const completeParams = z.looseObject({
  ref: z.looseObject({ type: z.string(), uri: z.string().optional() }),
  argument: z.looseObject({ name: z.string(), value: z.string().max(1_000) }),
});
const listenParams = z.looseObject({
  notifications: z.looseObject({
    toolsListChanged: z.boolean().optional(),
    resourcesListChanged: z.boolean().optional(),
    resourceSubscriptions: z.array(z.string().max(2_000)).max(1_000).optional(),
  }),
});

const COMMON: Readonly<Record<string, Method>> = {
  async "tools/list"(caller, { params }) {
    checked(cursorParams, params);
    return { tools: (await toolsFor(caller)).map(({ definition }) => definition) };
  },
  "tools/call": toolsCall,
  async "resources/list"(caller, { params }) {
    return listResources(caller, checked(cursorParams, params).cursor);
  },
  async "resources/templates/list"() {
    return resourceTemplates();
  },
  async "resources/read"(caller, { params }) {
    return readResource(caller, checked(readParams, params).uri);
  },
  async "completion/complete"(caller, { params }) {
    const { ref, argument } = checked(completeParams, params);
    return completeId(caller, { uri: ref.uri ?? "", argument: argument.name, value: argument.value });
  },
};

const OF_SESSIONS: Readonly<Record<string, Method>> = {
  ...COMMON,
  async initialize({ api, client }) {
    const { version: protocolVersion } = client;
    return {
      ...{ protocolVersion, capabilities: capabilities(client) },
      ...{ serverInfo: serverInfo(api.version), instructions: INSTRUCTIONS },
    };
  },
  async ping() {
    return {};
  },
};

const STATELESS: Readonly<Record<string, Method>> = {
  ...COMMON,
  async "server/discover"({ client }) {
    const supportedVersions = [STATELESS_VERSION];
    return { supportedVersions, capabilities: capabilities(client), instructions: INSTRUCTIONS };
  },
  "subscriptions/listen": listen,
};

/** Carries a request out, in the words of its client's revision. */
export async function carriedOut(
  caller: McpCaller,
  request: McpRequest,
  context: Context<ApiEnvironment>,
): Promise<MethodAnswer> {
  const { client } = caller;
  const methods = isStateless(client) ? STATELESS : OF_SESSIONS;
  const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (!method)
    throw new McpError(ProtocolErrorCode.MethodNotFound, `There is no method ${request.method} here`, {
      status: isStateless(client) ? 404 : 200,
    });
  const answer = await method(caller, request, context);
  return isOnItsWay(answer) ? answer : stampedResult(client, request.method, answer);
}

/** What we can do in this revision. Subscriptions are only where they are part of a request, so that any node has them. */
function capabilities(client: McpClient): ServerCapabilities {
  const resources = { listChanged: true, ...(isStateless(client) && { subscribe: true }) };
  return { tools: { listChanged: true }, resources, completions: {} };
}

async function toolsCall(caller: McpCaller, request: McpRequest, context: Context<ApiEnvironment>) {
  const { client } = caller;
  const { requestState, inputResponses = {}, _meta: meta, ...params } = checked(callParams, request.params);
  const key = meta?.[KEY_META] ?? context.req.header("Idempotency-Key");
  if (key !== undefined && key.length > 200)
    throw invalidParams("Idempotency-Key", "has up to 200 characters");
  const begun = requestState === undefined ? undefined : runIn(requestState);
  if (requestState !== undefined && !begun) throw invalidParams("requestState", "is none that we gave");
  if (begun)
    for (const [approvalId, response] of Object.entries(inputResponses))
      await answerForm(caller, { sessionId: begun.sessionId, approvalId }, response);
  const outcome = begun ?? (await callTool(caller, params, { requestId: request.id, key }));
  if (!("runId" in outcome)) return outcome;
  const { sessionId, runId, after } = outcome as { sessionId: string; runId: string; after: number };
  const place = { sessionId, runId, after, told: after, requestId: request.id };
  // In the revision without sessions, whoever closes the answer cancels the call; a key says that it may come again.
  const endsWithClient =
    context.req.header("X-Parley-On-Disconnect") === "cancel" || (isStateless(client) && key === undefined);
  return followCall(context, caller, { ...place, progressToken: meta?.progressToken }, { endsWithClient });
}

async function listen(caller: McpCaller, { id, params }: McpRequest, context: Context<ApiEnvironment>) {
  const { notifications } = checked(listenParams, params);
  const { toolsListChanged, resourcesListChanged, resourceSubscriptions = [] } = notifications;
  const honoured = {
    ...(toolsListChanged && { toolsListChanged }),
    ...(resourcesListChanged && { resourcesListChanged }),
    ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
  };
  const stamp = { _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
  const acknowledged = { notifications: honoured, ...stamp };
  return streamChanges(
    context,
    caller,
    {
      tools: toolsListChanged === true,
      resources: resourcesListChanged === true,
      updated: resourceSubscriptions,
    },
    {
      begin: frame({ method: "notifications/subscriptions/acknowledged", params: acknowledged }),
      params: stamp,
      end: frame({ id, result: { resultType: "complete", ...stamp } }),
    },
  );
}

function checked<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(params ?? {});
  if (success) return data;
  const [issue] = error.issues;
  throw invalidParams(issue?.path.join(".") ?? "", issue?.message ?? "is not as it should be");
}

function invalidParams(path: string, message: string): McpError {
  return new McpError(ProtocolErrorCode.InvalidParams, `params.${path}: ${message}`);
}
