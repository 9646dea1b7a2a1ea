import { createHash, randomUUID } from "node:crypto";
import { IndexConflictError } from "@parley/journal";
import {
  CommandRefusedError,
  type Principal,
  type Run,
  type RunRow,
  type SessionEvent,
  type SessionState,
} from "@parley/sessions";
import type { Api } from "../../api/api-options.ts";
import { type Asking, Conversations } from "../../api/conversations.ts";
import { storedFiles } from "../../api/files/stored-files.ts";
import { runTakenBy } from "../../api/forked-answer.ts";
import { problemOf } from "../../api/problem.ts";
import { keptFiles } from "./ui-files.ts";
import { hasMessage, isSameHistory, keptOf, recordedBefore, type Said, saidIn } from "./ui-history.ts";
import type { UiMessage, UiRequest } from "./ui-request.ts";

/** So many of somebody's newest runs are looked at for those of one chat. */
const NEWEST_RUNS = 200;
/** A fork of a chat's is known by its name. */
const FORK = ".";

/** A run that answers in a chat, and the session it is in. */
export interface ChatRun {
  readonly state: SessionState;
  readonly run: Run;
  /** The message that it answers, or was told of. */
  readonly messageId: string;
}

/** What is said in a chat: its client has chosen the id. */
type AskedInChat = Asking & { readonly id: string };

/**
 * Chats of the AI SDK as sessions. A chat's id is that of its session. What a client shows that is not that session's
 * end (an edited message, another answer) goes on in forks whose ids begin with the chat's; which of them is meant
 * follows from the messages that the client sends along, so any node finds it.
 */
export class UiChats {
  readonly #api: Api;
  readonly #conversations: Conversations;

  constructor(api: Api) {
    this.#api = api;
    this.#conversations = new Conversations(api);
  }

  /** Says the last message: at the session's end, or in a fork where the client's history goes another way. */
  async say(principal: Principal, request: UiRequest): Promise<ChatRun> {
    const { chatId, agent, thinking } = request;
    const { state, said } = await this.#placed(principal, request);
    const { id, content, history } = said;
    const before = state?.messages.find((message) => message.id === id);
    const run = state && before?.content === content && runTakenBy(state, before);
    if (run) return { state, run, messageId: id };
    const files = await keptFiles(this.#api.files, principal, said.files);
    const asking = { id, content, files, agent, thinking };
    if (!state) return this.#begun(principal, chatId, asking, history);
    const kept = isSameHistory(state, history) ? keptOf(state, history) : undefined;
    if (kept === undefined)
      return this.#adopted(principal, forkId(chatId, [said, state.id]), asking, history);
    if (kept === state.messages.length) return this.#posted(principal, state, asking);
    const childId = forkId(chatId, [state.id, kept, id, content]);
    return this.#branched(principal, { state, kept, childId }, asking);
  }

  /** Answers the last message once more, in a fork; a run that answers it already is that answer. */
  async sayAgain(principal: Principal, request: UiRequest, key: string | undefined): Promise<ChatRun> {
    const { chatId, agent, thinking } = request;
    const { state: placed, said } = await this.#placed(principal, request);
    const asked = await this.#answering(principal, chatId, said, placed);
    if (!asked) return this.say(principal, request);
    const { state, run } = asked;
    if (run.status === "running" || run.status === "waiting") return asked;
    const id = forkId(chatId, [key ?? randomUUID()]);
    const retried = { sessionId: state.id, runId: run.id };
    return begunIn(await this.#conversations.retry(principal, retried, { id, agent, thinking }, key));
  }

  /** The session in which something was answered, if it is there. */
  answered(principal: Principal, request: UiRequest, message: UiMessage): Promise<SessionState | undefined> {
    const { messages } = request;
    const upTo = messages.slice(0, messages.indexOf(message) + 1);
    return this.#located(principal, { ...request, messages: upTo });
  }

  /** The newest run of a chat, in whichever of its sessions. */
  async newest(principal: Principal, chatId: string): Promise<ChatRun | undefined> {
    const { sessions } = this.#api;
    const [newest] = await this.#runs(principal, chatId);
    const [row] = newest ? [newest] : await sessions.runs(principal, { sessionId: chatId, limit: 1 });
    return row && this.#chatRun(principal, row);
  }

  async #chatRun(principal: Principal, { id, sessionId }: RunRow): Promise<ChatRun | undefined> {
    const state = await this.#api.sessions.state(principal, sessionId);
    const run = state.runs.get(id);
    const told = state.messages.findLast((message) => message.role === "user" && message.runId === id);
    return run && { state, run, messageId: told?.id ?? run.messageId };
  }

  async #runs(principal: Principal, chatId: string): Promise<RunRow[]> {
    const runs = await this.#api.sessions.runs(principal, { limit: NEWEST_RUNS });
    return runs.filter(({ sessionId }) => isOf(chatId, sessionId));
  }

  /** The run that answers this message: one that is under way, else that of the session where the client is. */
  async #answering(
    principal: Principal,
    chatId: string,
    said: Said,
    located: SessionState | undefined,
  ): Promise<ChatRun | undefined> {
    const runs = (await this.#runs(principal, chatId)).filter(({ messageId }) => messageId === said.id);
    const isUnderWay = ({ completedAt }: RunRow) => completedAt === undefined;
    for (const row of [...runs.filter(isUnderWay), ...runs.filter((one) => !isUnderWay(one))]) {
      const found = await this.#chatRun(principal, row);
      if (found && saysIn(found.state, said)) return { ...found, messageId: said.id };
    }
    const message = located && saysIn(located, said);
    const run = message && runTakenBy(located, message);
    return run && { state: located, run, messageId: said.id };
  }

  /** What the client says, and in which session; where it sends that alone, what it said before is as we have it. */
  async #placed(
    principal: Principal,
    request: UiRequest,
  ): Promise<{ readonly state: SessionState | undefined; readonly said: Said }> {
    const { chatId, messages, isAlone } = request;
    const [last] = messages;
    if (!isAlone || !last) {
      const state = await this.#located(principal, request);
      return { state, said: saidIn(messages, state) };
    }
    const { state = await this.#found(principal, chatId) } = (await this.newest(principal, chatId)) ?? {};
    return { state, said: saidIn(state ? [...recordedBefore(state, last), last] : messages, state) };
  }

  /** The session in which the client's conversation is; undefined: the chat has none. */
  async #located(principal: Principal, { chatId, messages }: UiRequest): Promise<SessionState | undefined> {
    const last = lastAnswer(messages);
    const named = last?.session !== undefined && isOf(chatId, last.session) ? last.session : chatId;
    const first = await this.#found(principal, named);
    if (first && (!last || hasMessage(first, last))) return first;
    const own = named === chatId ? first : await this.#found(principal, chatId);
    if (!own || !last || hasMessage(own, last)) return own;
    return (await this.#fork(principal, own, last)) ?? own;
  }

  /** The fork of the chat's that has the message, of those that the record knows. */
  async #fork(
    principal: Principal,
    root: SessionState,
    message: UiMessage,
  ): Promise<SessionState | undefined> {
    const left = [root];
    for (let state = left.shift(); state; state = left.shift()) {
      for (const { id } of state.children.toReversed()) {
        const child = isOf(root.id, id) ? await this.#found(principal, id) : undefined;
        if (child && hasMessage(child, message)) return child;
        if (child) left.push(child);
      }
    }
    return undefined;
  }

  async #found(principal: Principal, id: string): Promise<SessionState | undefined> {
    try {
      return await this.#api.sessions.state(principal, id);
    } catch (error) {
      if (problemOf(error)?.code === "not_found") return undefined;
      throw error;
    }
  }

  /** A chat that we do not know yet: with what was said elsewhere before, or as a fork of the session it was read from. */
  async #begun(
    principal: Principal,
    id: string,
    asking: AskedInChat,
    history: readonly UiMessage[],
  ): Promise<ChatRun> {
    const { agent } = asking;
    if (history.length > 0) {
      const { session } = lastAnswer(history) ?? {};
      const state = session === undefined ? undefined : await this.#found(principal, session);
      const kept = state && isSameHistory(state, history) ? keptOf(state, history) : undefined;
      if (!state || kept === undefined) return this.#adopted(principal, id, asking, history);
      return this.#branched(principal, { state, kept, childId: id }, asking);
    }
    const state = await mine(id, this.#conversations.create(principal, { id, agent }));
    return this.#posted(principal, state, asking);
  }

  async #posted(
    principal: Principal,
    { id: sessionId }: Pick<SessionState, "id">,
    asking: AskedInChat,
  ): Promise<ChatRun> {
    const { state, run } = await this.#conversations.post(principal, sessionId, asking);
    return { state, run, messageId: asking.id };
  }

  async #branched(
    principal: Principal,
    {
      state,
      kept,
      childId,
    }: { readonly state: SessionState; readonly kept: number; readonly childId: string },
    asking: AskedInChat,
  ): Promise<ChatRun> {
    const branch = { ...asking, at: { messages: kept }, fork: { id: childId } };
    const asked = { kept, ...asking };
    return begunIn(await mine(childId, this.#conversations.branch(principal, state.id, branch, { asked })));
  }

  /** Records the conversation as the client tells it, in a session of its own, and goes on there. */
  async #adopted(
    principal: Principal,
    id: string,
    asking: AskedInChat,
    history: readonly UiMessage[],
  ): Promise<ChatRun> {
    const { sessions, files, runs } = this.#api;
    const { agent } = asking;
    // Before anything is made: a session of an agent that there is not could never go on.
    await runs.newRun(principal, { id }, { agent });
    const told: SessionEvent[] = [];
    for (const message of history) {
      const { id: messageId, role, content } = message;
      const kept = await keptFiles(files, principal, message.files);
      const stored = await storedFiles(files, principal, kept);
      if (role === "user")
        told.push({ type: "user_message", messageId, content, ...(stored && { files: stored }) });
      else if (content !== "")
        told.push({ type: "agent_message", messageId, content, runId: `${id}/before` });
    }
    const created = { type: "session_created", ...principal, title: "", ...(agent && { agent }) } as const;
    const key = { key: `adopt:${id}`, asked: told };
    const { state } = await mine(id, sessions.adopt(principal, id, [created, ...told], key));
    return this.#posted(principal, state, asking);
  }
}

/** What was made in a chat's name is not there for others, whoever chose the name first. */
async function mine<Made>(id: string, made: Promise<Made>): Promise<Made> {
  try {
    return await made;
  } catch (error) {
    const isTaken = error instanceof IndexConflictError || problemOf(error)?.code === "conflict";
    throw isTaken ? new CommandRefusedError("not_found", `There is no session ${id}`) : error;
  }
}

function begunIn(state: SessionState): ChatRun {
  const run = [...state.runs.values()].at(-1);
  if (!run) throw new Error("A fork that was asked something has no run");
  return { state, run, messageId: run.messageId };
}

function lastAnswer(messages: readonly UiMessage[]): UiMessage | undefined {
  return messages.findLast(({ role }) => role === "assistant");
}

function saysIn({ messages }: SessionState, { id, content }: Said) {
  return messages.find((message) => message.id === id && message.content === content);
}

function isOf(chatId: string, sessionId: string): boolean {
  return sessionId === chatId || sessionId.startsWith(chatId + FORK);
}

function forkId(chatId: string, of: readonly unknown[]): string {
  const digest = createHash("sha256").update(JSON.stringify(of)).digest("base64url");
  return `${chatId}${FORK}${digest.slice(0, 22)}`;
}
