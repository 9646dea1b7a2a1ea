import { CommandRefusedError } from "@parley/sessions";
import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost } from "../adapter-host.ts";
import { openSession } from "../conversations/session-reading.ts";
import type { FollowedRun } from "../followed-run.ts";
import { streamRun, waitForAnswer } from "../run-stream.ts";
import { CallEncoder } from "./call-encoder.ts";
import type { CallPlace } from "./call-place.ts";
import { accepts } from "./change-stream.ts";
import { type McpCaller, pageOf } from "./mcp-caller.ts";
import { isStateless } from "./mcp-client.ts";

/** How a call is followed, where it is not for the first time and by somebody who only watches. */
export interface Following {
  /** The message that it brought, if it did. */
  readonly messageId?: string | undefined;
  readonly endsWithClient?: boolean;
}

/** Answers a call with its run, from this place on. */
export async function followCall(
  context: Context<AdapterEnvironment>,
  caller: McpCaller,
  place: CallPlace,
  { messageId, endsWithClient = false }: Following = {},
): Promise<Response> {
  const { host, principal } = caller;
  const streams = accepts(context.req.header("Accept"), "text/event-stream");
  // Who takes no stream is asked nothing by it.
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
  // Where the client's user is asked by the stream itself, it goes on with what the answer leads to.
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
