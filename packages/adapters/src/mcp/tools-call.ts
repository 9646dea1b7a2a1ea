import { CommandRefusedError } from "@parley/sessions";
import type { Context } from "hono";
import { z } from "zod";
import type { AdapterEnvironment, AdapterHost } from "../adapter-host.ts";
import { openSession } from "../conversations/session-reading.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import type { FollowedRun } from "../followed-run.ts";
import { Problem, type ProblemCode, problemOf } from "../problem.ts";
import { streamRun, waitForAnswer } from "../run-stream.ts";
import { answerForm } from "./approval-form.ts";
import { CallEncoder } from "./call-encoder.ts";
import { type CallPlace, KEY_META, MAX_ID, requestMark, runIn } from "./call-tokens.ts";
import { accepts } from "./change-stream.ts";
import {
  type CalledRun,
  isStateless,
  type McpCaller,
  type McpToolCall,
  pageOf,
  type ToolOutcome,
} from "./mcp-caller.ts";
import { checked, invalidParams } from "./mcp-error.ts";
import type { McpRequest } from "./mcp-methods.ts";
import { findTool, onlyReads } from "./tools/all-tools.ts";

const token = z.union([z.string().max(MAX_ID), z.number()]);
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
export async function toolsCall(
  caller: McpCaller,
  request: McpRequest,
  context: Context<AdapterEnvironment>,
) {
  const { host, principal, client } = caller;
  // First, since it may refuse the request.
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
  // A state may be forged: nothing that it says is recorded.
  if (!begun && client.sessionId !== undefined && messageId !== undefined)
    await host.sessions.mark(principal, sessionId, requestMark(client.sessionId, request.id, messageId));
  const { progressToken } = meta ?? {};
  const place = { sessionId, runId, after, answers, sent: after, requestId: request.id, progressToken };
  // In the stateless revision, closing the response cancels the call, unless a key says that it may come again.
  const endsWithClient = isStateless(client) && key === undefined && messageId !== undefined;
  return followCall(context, caller, place, { messageId, endsWithClient });
}

/** Problems of the request, which are not the tool's result. */
const REQUEST_PROBLEMS: ReadonlySet<ProblemCode> = new Set([
  ...(["not_authenticated", "rate_limited", "unavailable", "internal"] as const),
]);

/** Calls a tool. Its problems are results that say what to do, so that the calling model can react. */
async function callTool(
  caller: McpCaller,
  { name, arguments: given }: { readonly name: string; readonly arguments?: unknown },
  call: McpToolCall,
): Promise<ToolOutcome> {
  const tool = await findTool(caller, name);
  try {
    if (caller.identity.role === "viewer" && !onlyReads(tool))
      throw new Problem("forbidden", "Viewers only read: ask an owner of your workspace for the role editor");
    return await tool.call(caller, given, call);
  } catch (error) {
    const problem = problemOf(error);
    if (!problem || REQUEST_PROBLEMS.has(problem.code)) throw error;
    // The response's status does not show it.
    if (problem.code === "forbidden")
      caller.host.noteRefusal(caller.identity, `POST /mcp ${name}`.slice(0, 200));
    return { content: [{ type: "text", text: problem.message }], isError: true };
  }
}

/** How a call is followed the first time. */
export interface Following {
  /** The message that it posted. */
  readonly messageId?: string | undefined;
  readonly endsWithClient?: boolean;
}

/** Answers a call with its run from this place on. */
export async function followCall(
  context: Context<AdapterEnvironment>,
  caller: McpCaller,
  place: CallPlace,
  { messageId, endsWithClient = false }: Following = {},
): Promise<Response> {
  const { host, principal } = caller;
  const streams = accepts(context.req.header("Accept"), "text/event-stream");
  // A client without a stream cannot be asked by it.
  const elicits = caller.client.elicits && (streams || isStateless(caller.client));
  const client = { ...caller.client, elicits };
  const { sessionId, runId, after, answers } = place;
  const { approvals, runs } = await openSession(host.sessions, principal, sessionId);
  if (!runs.has(runId)) throw new CommandRefusedError("not_found", `There is no run ${runId}`);
  const encoder = new CallEncoder({
    ...{ place, messageId, client, page: pageOf(caller, sessionId) },
    questionMs: host.limits.questionMs,
    isAnswered: (approvalId) => approvals.get(approvalId)?.answer !== undefined,
  });
  // Where the stream itself asks the client's user, it goes on after the answer.
  const throughQuestions = client.elicits && !isStateless(client);
  const followed = { sessionId, runId, after, answers, throughQuestions, endsWithClient };
  return streams ? streamRun(host, context, followed, encoder) : wholeCall(host, context, followed, encoder);
}

/** Answers a call with its result alone, for clients that take no event stream. */
async function wholeCall(
  host: AdapterHost,
  context: Context<AdapterEnvironment>,
  run: FollowedRun,
  encoder: CallEncoder,
): Promise<Response> {
  const left = await waitForAnswer(host, context, {
    begin: async () => run,
    event: (recorded) => void encoder.event(recorded),
  });
  const [, result = ""] = /^data: (.*)$/m.exec(encoder.end(left)) ?? [];
  return context.body(result, 200, { "Content-Type": "application/json" });
}
