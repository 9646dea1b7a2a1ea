import type { Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { AdapterEnvironment, AdapterHost } from "../adapter-host.ts";
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
import { givableAnswers, giveAnswers } from "./ui-answers.ts";
import { UiChats } from "./ui-chats.ts";
import { readUiRequest, type UiMessage, type UiRequest } from "./ui-request.ts";

type Asked = Context<AdapterEnvironment>;

const MAX_LIST = 2_000;

/** The AI SDK's UI message stream at `/ai`: what `useChat` and its `DefaultChatTransport` speak. */
export const aiSdkAdapter: ProtocolAdapter = {
  paths: /^\/ai(\/|$)/,
  bodyBytes: 16 * 1_048_576,
  routes,
  refusal,
};

function routes(host: AdapterHost): Hono<AdapterEnvironment> {
  const places = new ChatSessions(host);
  const chats = new UiChats(host, places);

  const told = async (context: Asked, run: ResolvedRun, unused?: readonly string[]) => {
    const { followed, encoder } = await encodedRun(host, context.var.principal, run);
    return streamRun(host, context, followed, encoder, headersOf(run.state.id, unused));
  };

  /** Records a user's answers to approvals, and streams what follows into the same message. */
  const answered = async (context: Asked, request: UiRequest, message: UiMessage) => {
    const { principal } = context.var;
    const state = await places.answered(principal, request, message);
    if (!state) throw new Problem("not_found", "There is no such session");
    const after = await giveAnswers(host, principal, state, message.answers);
    const { followed, encoder } = await encodedContinuation(host, principal, after, message);
    return streamRun(host, context, followed, encoder, headersOf(state.id, request.unused));
  };

  const ask = async (context: Asked) => {
    const { principal } = context.var;
    cancelsOnDisconnect(context);
    checkCanStream(host, principal);
    const asked = await requestIn(context);
    const request = { ...asked, chatId: await namedSession(host.sessions, principal, asked.chatId) };
    const message = answeredIn(request);
    if (request.messages.at(-1)?.role === "assistant") {
      if (message) return answered(context, request, message);
      throw new Problem("conflict", "Nothing was said or answered: resume the stream instead");
    }
    const late = message ? await answeredBefore(principal, request, message) : [];
    const run =
      request.trigger === "submit-message"
        ? await chats.say(principal, request)
        : await chats.sayAgain(principal, request, keyIn(context));
    const isOther = request.agent !== undefined && request.agent !== run.run.agent;
    return told(context, run, [...request.unused, ...late, ...(isOther ? ["agent"] : [])]);
  };

  /** Records answers to approvals that came with a later message; returns those that no run waits for any more. */
  const answeredBefore = async (principal: Principal, request: UiRequest, message: UiMessage) => {
    const state = await places.answered(principal, request, message);
    const givable = state ? givableAnswers(state, message.answers) : [];
    if (state) await giveAnswers(host, principal, state, givable);
    return message.answers.flatMap((one) => (givable.includes(one) ? [] : [`approval ${one.approvalId}`]));
  };

  const newest = async ({ req, var: { principal } }: Asked) =>
    places.newest(principal, await namedSession(host.sessions, principal, req.param("chatId") ?? ""));

  const resume = async (context: Asked) => {
    const run = await newest(context);
    return run ? told(context, run) : context.body(null, 204);
  };

  const cancel = async (context: Asked) => {
    const { principal } = context.var;
    const { state, run } = (await newest(context)) ?? {};
    if (state && (run?.status === "running" || run?.status === "waiting"))
      await host.sessions.execute(principal, state.id, { type: "cancelRun", runId: run.id });
    return context.body(null, 204);
  };

  const app = new Hono<AdapterEnvironment>();
  app.post("/ai", ask).post("/ai/:agent", ask);
  for (const path of ["/ai/:chatId/stream", "/ai/:agent/:chatId/stream"])
    app.get(path, resume).delete(path, cancel);
  return app;
}

async function requestIn(context: Asked): Promise<UiRequest> {
  const agent = context.req.param("agent");
  const request = readUiRequest(await jsonOf(context));
  return agent === undefined ? request : { ...request, agent };
}

function keyIn(context: Asked): string | undefined {
  const name = "Idempotency-Key";
  const key = idempotencyKey.optional().safeParse(context.req.header(name));
  if (!key.success) throw invalid(name, "must have 1 to 200 characters");
  return key.data;
}

/** The message in which a person has answered something: the one that the client names, else the last. */
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

/** As many names as a header may hold: there are clients that read no answer with a longer one. */
function listed(names: readonly string[]): string {
  const list = names.map((name) => encodeURIComponent(name.slice(0, 100).toWellFormed())).join(", ");
  return list.length <= MAX_LIST ? list : `${list.slice(0, list.lastIndexOf(",", MAX_LIST))}, ...`;
}

/** The client shows the body of an error as it is: so it is the sentence, and the headers say the rest. */
function refusal(problem: Problem): Refusal {
  const { status, headers } = problemAnswer(problem);
  const own = { "Content-Type": "text/plain; charset=utf-8", "X-Parley-Problem": problem.code };
  return { status, headers: { ...headers, ...own }, body: problem.message };
}
