import { isEnded, type Principal, type SessionState } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { AdapterEnvironment, AdapterHost } from "../adapter-host.ts";
import { answerApproval } from "../conversations/approval-answers.ts";
import type { ResolvedRun } from "../conversations/conversation-resolver.ts";
import { idempotencyKey } from "../conversations/field-schemas.ts";
import { namedSession } from "../conversations/named-session.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import { jsonOf } from "../json-body.ts";
import { invalid, Problem, problemAnswer } from "../problem.ts";
import type { ProtocolAdapter, Refusal } from "../protocol-adapter.ts";
import { checkCanStream, streamRun } from "../run-stream.ts";
import { ChatSessions } from "./chat-sessions.ts";
import { encodedContinuation, encodedRun } from "./encoded-run.ts";
import { UI_STREAM_HEADERS } from "./encoding/ui-chunk.ts";
import { UiChatResolver } from "./ui-chat-resolver.ts";
import { readUiRequest, type UiAnswer, type UiMessage, type UiRequest } from "./ui-request.ts";

type HttpContext = Context<AdapterEnvironment>;

const MAX_LIST = 2_000;

/** The AI SDK's UI message stream at `/ai`: what `useChat` and its `DefaultChatTransport` speak. */
export const aiSdkAdapter: ProtocolAdapter = {
  paths: /^\/ai(\/|$)/,
  bodyBytes: 16 * 1_048_576,
  routes,
  refusal,
};

function routes(host: AdapterHost): Hono<AdapterEnvironment> {
  const stream = async (context: HttpContext, run: ResolvedRun, unused?: readonly string[]) => {
    const { followed, encoder } = await encodedRun(host, context.var.principal, run);
    return streamRun(host, context, followed, encoder, headersOf(run.state.id, unused));
  };

  const ask = async (context: HttpContext) => {
    const { principal } = context.var;
    cancelsOnDisconnect(context);
    checkCanStream(host, principal);
    const parsed = await requestIn(context);
    const chatId = await namedSession(host.sessions, principal, parsed.chatId);
    const request = { ...parsed, chatId };
    const message = answeredIn(request);
    const state = message && (await new ChatSessions(host, principal, chatId).answered(request, message));
    if (request.messages.at(-1)?.role === "assistant") {
      if (!message) throw new Problem("conflict", "Nothing was said or answered: resume the stream instead");
      if (!state) throw new Problem("not_found", "There is no such session");
      const after = await giveAnswers(host, principal, state, message.answers);
      const { followed, encoder } = await encodedContinuation(host, principal, after, message);
      return streamRun(host, context, followed, encoder, headersOf(state.id, request.unused));
    }
    // Answers that came with a later message; those that no run waits for any more are reported as unused.
    const answers = message?.answers ?? [];
    const givable = state ? answers.filter((answer) => isGivable(state, answer)) : [];
    if (state) await giveAnswers(host, principal, state, givable);
    const late = answers.filter((answer) => !givable.includes(answer));
    const resolver = new UiChatResolver(host, principal, request);
    const run =
      request.trigger === "submit-message"
        ? await resolver.post()
        : await resolver.regenerate(keyIn(context));
    const isOther = request.agent !== undefined && request.agent !== run.run.agent;
    return stream(context, run, [
      ...request.unused,
      ...late.map(({ approvalId }) => `approval ${approvalId}`),
      ...(isOther ? ["agent"] : []),
    ]);
  };

  const newestRun = async ({ req, var: { principal } }: HttpContext) => {
    const chatId = await namedSession(host.sessions, principal, req.param("chatId") ?? "");
    return new ChatSessions(host, principal, chatId).newestRun();
  };

  const resume = async (context: HttpContext) => {
    const run = await newestRun(context);
    return run ? stream(context, run) : context.body(null, 204);
  };

  const cancel = async (context: HttpContext) => {
    const { state, run } = (await newestRun(context)) ?? {};
    if (state && run && !isEnded(run))
      await host.sessions.execute(context.var.principal, state.id, { type: "cancelRun", runId: run.id });
    return context.body(null, 204);
  };

  const app = new Hono<AdapterEnvironment>();
  app.post("/ai", ask).post("/ai/:agent", ask);
  for (const path of ["/ai/:chatId/stream", "/ai/:agent/:chatId/stream"])
    app.get(path, resume).delete(path, cancel);
  return app;
}

/** Whether an answer can still be given, or was: nobody waits for others, or they are to questions of other sessions. */
function isGivable({ approvals, runs }: SessionState, answer: UiAnswer): boolean {
  const asked = approvals.get(answer.approvalId);
  if (asked?.answer) return (asked.answer.decision !== "denied") === answer.approved;
  return asked !== undefined && runs.get(asked.runId)?.status === "waiting";
}

/** Records a user's answers to approvals; those that the record has already stay as they are. */
async function giveAnswers(
  { sessions }: AdapterHost,
  principal: Principal,
  state: SessionState,
  answers: readonly UiAnswer[],
): Promise<SessionState> {
  let after = state;
  for (const { approvalId, approved, reason: text } of answers) {
    // To a question that is about no tool, words are the answer.
    const isInWords = text && after.approvals.get(approvalId)?.request.tool === undefined;
    const decision = !approved ? "denied" : isInWords ? "answered" : "approved";
    const answer = { approvalId, decision, text } as const;
    const accepts = (earlier: { readonly decision: string }) => (earlier.decision !== "denied") === approved;
    const answered = await answerApproval(sessions, principal, after, answer, { accepts });
    if (answered.refused) throw answered.refused;
    after = answered.state;
  }
  return after;
}

async function requestIn(context: HttpContext): Promise<UiRequest> {
  const agent = context.req.param("agent");
  const request = readUiRequest(await jsonOf(context));
  return agent === undefined ? request : { ...request, agent };
}

function keyIn(context: HttpContext): string | undefined {
  const name = "Idempotency-Key";
  const key = idempotencyKey.optional().safeParse(context.req.header(name));
  if (!key.success) throw invalid(name, "must have 1 to 200 characters");
  return key.data;
}

/** The message with answers to approvals: the one that the client names, else the last. */
function answeredIn({ messages, messageId }: UiRequest): UiMessage | undefined {
  const answers = messages.filter(({ role }) => role === "assistant");
  const message = answers.find(({ id }) => id === messageId) ?? answers.at(-1);
  return message && message.answers.length > 0 ? message : undefined;
}

function headersOf(session: string, unused: readonly string[] = []): Record<string, string> {
  return {
    ...UI_STREAM_HEADERS,
    "X-Session-Id": session,
    ...(unused.length > 0 && { "X-Parley-Unused": listed(unused) }),
  };
}

/** Truncates the list: some clients reject responses with long headers. */
function listed(names: readonly string[]): string {
  const list = names.map((name) => encodeURIComponent(name.slice(0, 100).toWellFormed())).join(", ");
  return list.length <= MAX_LIST ? list : `${list.slice(0, list.lastIndexOf(",", MAX_LIST))}, ...`;
}

/** Clients show the body of an error as it is, so it is the message alone; the headers have the rest. */
function refusal(problem: Problem): Refusal {
  const { status, headers } = problemAnswer(problem);
  const own = { "Content-Type": "text/plain; charset=utf-8", "X-Parley-Problem": problem.code };
  return { status, headers: { ...headers, ...own }, body: problem.message };
}
