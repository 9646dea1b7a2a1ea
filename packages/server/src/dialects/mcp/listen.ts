import { SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";
import type { Context } from "hono";
import { z } from "zod";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { frame } from "./call-teller.ts";
import { checkTakesStream, streamChanges } from "./change-stream.ts";
import { checked } from "./checked-params.ts";
import type { McpCaller } from "./mcp-caller.ts";
import type { McpRequest } from "./mcp-methods.ts";

const listenParams = z.looseObject({
  notifications: z.looseObject({
    toolsListChanged: z.boolean().optional(),
    resourcesListChanged: z.boolean().optional(),
    resourceSubscriptions: z.array(z.string().max(2_000)).max(1_000).optional(),
  }),
});

/** Tells a client of what it wants to hear of, in the revision in which it says so with a request. */
export async function listen(
  caller: McpCaller,
  { id, params }: McpRequest,
  context: Context<ApiEnvironment>,
) {
  checkTakesStream(context);
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
