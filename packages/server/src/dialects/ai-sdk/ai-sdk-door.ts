import type { Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import { invalid, PROBLEMS, Problem } from "../../api/problem.ts";
import { commandHeaders } from "../../api/schemas/parameters.ts";
import { cancelsOnDisconnect } from "../disconnect.ts";
import type { Door, Refusal } from "../door.ts";
import { namedSession } from "../named-session.ts";
import { checkStreamable, streamRun } from "../run-stream.ts";
import { ChatPlaces, type ChatRun } from "./chat-places.ts";
import { continuedMessage, toldMessage } from "./told-message.ts";
import { givableAnswers, giveAnswers } from "./ui-answers.ts";
import { UiChats } from "./ui-chats.ts";
import { UI_STREAM_HEADERS } from "./ui-chunk.ts";
import { readUiRequest, type UiMessage, type UiRequest } from "./ui-request.ts";

type Asked = Context<ApiEnvironment>;

const LONGEST_LIST = 2_000;

/** The AI SDK's UI message stream at `/ai`: what `useChat` and its `DefaultChatTransport` speak. */
export const aiSdkDoor: Door = { paths: /^\/ai(\/|$)/, bodyBytes: 16 * 1_048_576, routes, refusal };

function routes(api: Api): Hono<ApiEnvironment> {
  const places = new ChatPlaces(api);
  const chats = new UiChats(api, places);

  const told = async (context: Asked, run: ChatRun, unused?: readonly string[]) => {
    const { followed, teller } = await toldMessage(api, context.var.principal, run);
    return streamRun(api, context, followed, teller, headersOf(run.state.id, unused));
  };

  /** Takes what a person said to what was asked, and tells what it leads to in the same message. */
  const answered = async (context: Asked, request: UiRequest, message: UiMessage) => {
    const { principal } = context.var;
    const state = await places.answered(principal, request, message);
    if (!state) throw new Problem("not_found", "There is no such session");
    const after = await giveAnswers(api, principal, state, message.answers);
    const { followed, teller } = await continuedMessage(api, principal, after, message);
    return streamRun(api, context, followed, teller, headersOf(state.id, request.unused));
  };

  const ask = async (context: Asked) => {
    const { principal } = context.var;
    cancelsOnDisconnect(context);
    checkStreamable(api, principal);
    const asked = await requestIn(context);
    const request = { ...asked, chatId: await namedSession(api.sessions, principal, asked.chatId) };
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

  /** Takes what a person said to what was asked before they said something else; names what nobody waits for any more. */
  const answeredBefore = async (principal: Principal, request: UiRequest, message: UiMessage) => {
    const state = await places.answered(principal, request, message);
    const givable = state ? givableAnswers(state, message.answers) : [];
    if (state) await giveAnswers(api, principal, state, givable);
    return message.answers.flatMap((one) => (givable.includes(one) ? [] : [`approval ${one.approvalId}`]));
  };

  const newest = async ({ req, var: { principal } }: Asked) =>
    places.newest(principal, await namedSession(api.sessions, principal, req.param("chatId") ?? ""));

  const resume = async (context: Asked) => {
    const run = await newest(context);
    return run ? told(context, run) : context.body(null, 204);
  };

  const cancel = async (context: Asked) => {
    const { principal } = context.var;
    const { state, run } = (await newest(context)) ?? {};
    if (state && (run?.status === "running" || run?.status === "waiting"))
      await api.sessions.execute(principal, state.id, { type: "cancelRun", runId: run.id });
    return context.body(null, 204);
  };

  const door = new Hono<ApiEnvironment>();
  door.post("/ai", ask).post("/ai/:agent", ask);
  for (const path of ["/ai/:chatId/stream", "/ai/:agent/:chatId/stream"])
    door.get(path, resume).delete(path, cancel);
  return door;
}

async function requestIn(context: Asked): Promise<UiRequest> {
  const json: unknown = await context.req.json().catch(() => {
    throw new Problem("malformed_request", "The body is not JSON");
  });
  const agent = context.req.param("agent");
  const request = readUiRequest(json);
  return agent === undefined ? request : { ...request, agent };
}

function keyIn(context: Asked): string | undefined {
  const name = "Idempotency-Key";
  const { data } = commandHeaders.safeParse({ [name]: context.req.header(name) });
  if (!data) throw invalid(name, "must have 1 to 200 characters");
  return data[name];
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
  return list.length <= LONGEST_LIST ? list : `${list.slice(0, list.lastIndexOf(",", LONGEST_LIST))}, ...`;
}

/** The client shows the body of an error as it is: so it is the sentence, and the headers say the rest. */
function refusal({ code, message, retryAfter, challenge }: Problem): Refusal {
  const [status] = PROBLEMS[code];
  const headers: Record<string, string> = {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Parley-Problem": code,
    ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
  return { status, headers, body: message };
}
