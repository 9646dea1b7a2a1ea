import { CommandRefusedError } from "@parley/sessions";
import type { Context } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { openSession } from "../../api/session-reading.ts";
import { streamRun } from "../run-stream.ts";
import { accepts } from "./accepted-types.ts";
import type { CallPlace } from "./call-place.ts";
import { CallTeller } from "./call-teller.ts";
import { type McpCaller, pageOf } from "./mcp-caller.ts";
import { isStateless } from "./mcp-client.ts";
import { wholeCall } from "./whole-call.ts";

/** How a call is followed, where it is not for the first time and by somebody who only watches. */
export interface Following {
  /** The message that it brought, if it did. */
  readonly messageId?: string | undefined;
  readonly endsWithClient?: boolean;
}

/** Answers a call with its run, from this place on. */
export async function followCall(
  context: Context<ApiEnvironment>,
  caller: McpCaller,
  place: CallPlace,
  { messageId, endsWithClient = false }: Following = {},
): Promise<Response> {
  const { api, principal } = caller;
  const streams = accepts(context.req.header("Accept"), "text/event-stream");
  // Who takes no stream is asked nothing by it.
  const elicits = caller.client.elicits && (streams || isStateless(caller.client));
  const client = { ...caller.client, elicits };
  const { sessionId, runId, after, answers } = place;
  const { approvals, runs } = await openSession(api.sessions, principal, sessionId);
  if (!runs.has(runId)) throw new CommandRefusedError("not_found", `There is no run ${runId}`);
  const teller = new CallTeller({
    ...{ place, messageId, client, page: pageOf(caller, sessionId) },
    questionMs: api.limits.questionMs,
    isAnswered: (approvalId) => approvals.get(approvalId)?.answer !== undefined,
  });
  // Where the client's user is asked by the stream itself, it goes on with what the answer leads to.
  const throughQuestions = client.elicits && !isStateless(client);
  const followed = { sessionId, runId, after, answers, throughQuestions, endsWithClient };
  return streams ? streamRun(api, context, followed, teller) : wholeCall(api, context, followed, teller);
}
