import type { Context } from "hono";
import { z } from "zod";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import { checkStreamable } from "../run-stream.ts";
import { answerForm } from "./answer-form.ts";
import { KEY_META } from "./call-key.ts";
import { runIn } from "./call-state.ts";
import { checked, invalidParams } from "./checked-params.ts";
import { followCall } from "./follow-call.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { isStateless } from "./mcp-client.ts";
import type { McpRequest } from "./mcp-methods.ts";
import { callTool } from "./tools/call-tool.ts";

const token = z.union([z.string().max(1_000), z.number()]);
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
  const { client } = caller;
  const { requestState, inputResponses = {}, _meta: meta, ...params } = checked(callParams, request.params);
  const key = meta?.[KEY_META] ?? context.req.header("Idempotency-Key");
  if (key !== undefined && key.length > 200)
    throw invalidParams("Idempotency-Key", "has up to 200 characters");
  // Only who began a run ends it: whoever waits for an answer and has waited enough leaves it at work.
  const isAsking = params.name.startsWith("ask_");
  cancelsOnDisconnect(context);
  if (isAsking) checkStreamable(caller.api, caller.principal);
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
  const endsWithClient = isAsking && isStateless(client) && key === undefined;
  return followCall(context, caller, { ...place, progressToken: meta?.progressToken }, { endsWithClient });
}
