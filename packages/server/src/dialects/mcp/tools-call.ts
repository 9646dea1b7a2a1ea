import type { Context } from "hono";
import { z } from "zod";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import { answerForm } from "./answer-form.ts";
import { KEY_META, requestMark } from "./call-key.ts";
import { LONGEST_ID } from "./call-place.ts";
import { runIn } from "./call-state.ts";
import { checked, invalidParams } from "./checked-params.ts";
import { followCall } from "./follow-call.ts";
import type { CalledRun, McpCaller } from "./mcp-caller.ts";
import { isStateless } from "./mcp-client.ts";
import type { McpRequest } from "./mcp-methods.ts";
import { callTool } from "./tools/call-tool.ts";

const token = z.union([z.string().max(LONGEST_ID), z.number()]);
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
/** Calls a tool, or goes on with a call whose client has asked its user. */
export async function toolsCall(caller: McpCaller, request: McpRequest, context: Context<ApiEnvironment>) {
  const { api, principal, client } = caller;
  // Before anything is done, since it may have to be refused.
  cancelsOnDisconnect(context);
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
  const { sessionId, runId, after, answers, messageId } = outcome as CalledRun;
  if (client.sessionId !== undefined && messageId !== undefined)
    await api.sessions.mark(principal, sessionId, requestMark(client.sessionId, request.id, messageId));
  const { progressToken } = meta ?? {};
  const place = { sessionId, runId, after, answers, told: after, requestId: request.id, progressToken };
  // In the revision without sessions, whoever closes the answer cancels the call; a key says that it may come again.
  const endsWithClient = isStateless(client) && key === undefined && messageId !== undefined;
  return followCall(context, caller, place, { messageId, endsWithClient });
}
