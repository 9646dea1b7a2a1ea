import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import {
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import type { Context } from "hono";
import { z } from "zod";
import type { AdapterEnvironment } from "../adapter-host.ts";
import { listen } from "./change-stream.ts";
import { isStateless, type McpCaller, type McpClient, STATELESS_VERSION } from "./mcp-caller.ts";
import { checked, McpError } from "./mcp-error.ts";
import { serverInfo, stampedResult } from "./mcp-results.ts";
import { completeId, listResources, readResource, resourceTemplates } from "./session-resources.ts";
import { toolsFor } from "./tools/all-tools.ts";
import { toolsCall } from "./tools-call.ts";

export interface McpRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params?: unknown;
}

/** A result, or a whole response. */
export type MethodAnswer = object;

/** Whether it is a whole response, which may be sent already. */
export function isResponse(answer: MethodAnswer): answer is Response {
  return answer === RESPONSE_ALREADY_SENT || answer instanceof Response;
}

type Method = (
  caller: McpCaller,
  request: McpRequest,
  context: Context<AdapterEnvironment>,
) => Promise<MethodAnswer>;

const INSTRUCTIONS =
  "Parley hosts agents. ask_supervisor plans and hands work to them; ask_NAME asks one directly. Pass the `session` of an answer to go on with that conversation. What changes something asks a person first: such a call waits for them, and await_answer gives its answer later.";

const cursorParams = z.looseObject({ cursor: z.string().max(100).optional() });
const onePage = z.looseObject({ cursor: z.undefined({ error: "is none that we gave" }).optional() });
const readParams = z.looseObject({ uri: z.string().max(2_000) });
const completeParams = z.looseObject({
  ref: z.looseObject({ type: z.string(), uri: z.string().optional() }),
  argument: z.looseObject({ name: z.string(), value: z.string().max(1_000) }),
});
const COMMON: Readonly<Record<string, Method>> = {
  async "tools/list"(caller, { params }) {
    checked(onePage, params);
    return { tools: (await toolsFor(caller)).map(({ definition }) => definition) };
  },
  "tools/call": toolsCall,
  async "resources/list"(caller, { params }) {
    return listResources(caller, checked(cursorParams, params).cursor);
  },
  async "resources/templates/list"(_, { params }) {
    checked(onePage, params);
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
  async initialize({ host, client }) {
    const { version: protocolVersion } = client;
    return {
      ...{ protocolVersion, capabilities: capabilities(client) },
      ...{ serverInfo: serverInfo(host.version), instructions: INSTRUCTIONS },
    };
  },
  async ping() {
    return {};
  },
};

const STATELESS: Readonly<Record<string, Method>> = {
  ...COMMON,
  async "server/discover"({ host, client }) {
    return {
      ...{ supportedVersions: [STATELESS_VERSION], capabilities: capabilities(client) },
      ...{ instructions: INSTRUCTIONS, _meta: { [SERVER_INFO_META_KEY]: serverInfo(host.version) } },
    };
  },
  "subscriptions/listen": listen,
};

/** Carries out a request in its client's revision. */
export async function executeMethod(
  caller: McpCaller,
  request: McpRequest,
  context: Context<AdapterEnvironment>,
): Promise<MethodAnswer> {
  const { client } = caller;
  const methods = isStateless(client) ? STATELESS : OF_SESSIONS;
  const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (!method)
    throw new McpError(ProtocolErrorCode.MethodNotFound, `There is no method ${request.method} here`, {
      status: isStateless(client) ? 404 : 200,
    });
  const answer = await method(caller, request, context);
  return isResponse(answer) ? answer : stampedResult(client, request.method, answer);
}

/** Our capabilities in this revision. Subscriptions exist only as part of a request, so that any node has them. */
function capabilities(client: McpClient): ServerCapabilities {
  const resources = { listChanged: true, ...(isStateless(client) && { subscribe: true }) };
  return { tools: { listChanged: true }, resources, completions: {} };
}
