import { createHash, randomUUID } from "node:crypto";
import { IndexConflictError } from "@parley/journal";
import {
  CommandRefusedError,
  isEnded,
  type Principal,
  type SessionEvent,
  type SessionState,
  type ToldMessage,
} from "@parley/sessions";
import type { Api } from "../../api/api-options.ts";
import { type Asking, Conversations } from "../../api/conversations.ts";
import { storedFiles } from "../../api/files/stored-files.ts";
import { runTakenBy } from "../../api/forked-answer.ts";
import { problemOf } from "../../api/problem.ts";
import { type ChatPlaces, type ChatRun, FORK, saidMark } from "./chat-places.ts";
import { keptFiles } from "./ui-files.ts";
import { isSameHistory, keptOf, lastAnswer, saidBefore, sharedBeginning } from "./ui-history.ts";
import type { UiMessage, UiRequest } from "./ui-request.ts";

/** What is said in a chat: its client has chosen the id. */
type AskedInChat = Asking & { readonly id: string };
/** What a client says was said, under an id of its own. */
type TellingMessage = ToldMessage & { readonly id: string };

/** Where a fork parts from its session, and what the client tells from there on. */
interface Branch {
  readonly state: SessionState;
  readonly kept: number;
  readonly childId: string;
  readonly told?: readonly TellingMessage[];
}

/**
 * Chats of the AI SDK as sessions. A chat's id is that of its session. What a client shows that is not that session's
 * end (an edited message, another answer) goes on in forks whose ids begin with the chat's; which of them is meant
 * follows from the messages that the client sends along, so any node finds it.
 */
export class UiChats {
  readonly #api: Api;
  readonly #conversations: Conversations;
  readonly #places: ChatPlaces;

  constructor(api: Api, places: ChatPlaces) {
    this.#api = api;
    this.#places = places;
    this.#conversations = new Conversations(api);
  }

  /** Says the last message: at the session's end, or in a fork where the client's history goes another way. */
  async say(principal: Principal, request: UiRequest): Promise<ChatRun> {
    const { chatId, agent, thinking } = request;
    const { state, said } = await this.#places.placed(principal, request);
    const { id, content, history } = said;
    const before = state && saidBefore(state, said);
    const run = before && runTakenBy(state, before);
    if (run) return { state, run, messageId: id };
    const files = await keptFiles(this.#api.files, principal, said.files);
    const asking = { id, content, files, agent, thinking };
    if (!state) return this.#begun(principal, chatId, asking, history);
    const kept = isSameHistory(state, history) ? keptOf(state, history) : undefined;
    if (kept === undefined) {
      const shared = sharedBeginning(state, history);
      const told = await this.#told(principal, history.slice(shared));
      const childId = forkId(chatId, [state.id, said]);
      return this.#branched(principal, { state, kept: shared, childId, told }, asking);
    }
    if (kept === state.messages.length) return this.#posted(principal, state, asking);
    const childId = forkId(chatId, [state.id, kept, id, content]);
    return this.#branched(principal, { state, kept, childId }, asking);
  }

  /** Answers the last message once more, in a fork; a run that answers it already is that answer. */
  async sayAgain(principal: Principal, request: UiRequest, key: string | undefined): Promise<ChatRun> {
    const { chatId, agent, thinking } = request;
    const { state: placed, said } = await this.#places.placed(principal, request);
    const asked = await this.#places.answering(principal, chatId, said, placed);
    if (asked && !isEnded(asked.run)) return asked;
    const id = forkId(chatId, [key ?? randomUUID()]);
    if (asked?.run.messageId === said.id) {
      const retried = { sessionId: asked.state.id, runId: asked.run.id };
      return begunIn(await this.#conversations.retry(principal, retried, { id, agent, thinking }, key));
    }
    const message = placed && saidBefore(placed, said);
    if (!message) return this.say(principal, request);
    // It was told to the run of another message, or before there was one: no run of its own can be made again.
    const files = message.files?.map(({ blob }) => blob);
    const asking = { id: said.id, content: said.content, files, agent, thinking };
    return this.#branched(principal, { state: placed, kept: message.index, childId: id }, asking);
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
      const state = session === undefined ? undefined : await this.#places.found(principal, session);
      const isThere = state && state.status !== "deleted" && isSameHistory(state, history);
      const kept = isThere ? keptOf(state, history) : undefined;
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
    if (run.messageId !== asking.id) await this.#api.sessions.mark(principal, sessionId, saidMark(asking.id));
    return { state, run, messageId: asking.id };
  }

  async #branched(
    principal: Principal,
    { state, kept, childId, told }: Branch,
    asking: AskedInChat,
  ): Promise<ChatRun> {
    const branch = { ...asking, at: { messages: kept }, fork: { id: childId }, told };
    const asked = { kept, told, ...asking };
    return begunIn(await mine(childId, this.#conversations.branch(principal, state.id, branch, { asked })));
  }

  /** Records the conversation as the client tells it, and goes on from there. */
  async #adopted(
    principal: Principal,
    id: string,
    asking: AskedInChat,
    history: readonly UiMessage[],
  ): Promise<ChatRun> {
    const { sessions, runs } = this.#api;
    const { agent } = asking;
    // Before anything is made: a session of an agent that there is not could never go on.
    await runs.newRun(principal, { id }, { agent });
    const told = await this.#told(principal, history);
    const events = told.map(({ id: messageId, role, content, files }): SessionEvent => {
      if (role === "assistant") return { type: "agent_message", messageId, content, runId: `${id}/before` };
      return { type: "user_message", messageId, content, ...(files && { files: [...files] }) };
    });
    const created = { type: "session_created", ...principal, title: "", ...(agent && { agent }) } as const;
    const key = { key: `adopt:${id}`, asked: told };
    const { state } = await mine(id, sessions.adopt(principal, id, [created, ...events], key));
    return this.#posted(principal, state, asking);
  }

  /** What the client says was said, with its files kept. */
  async #told(principal: Principal, history: readonly UiMessage[]): Promise<TellingMessage[]> {
    const told: TellingMessage[] = [];
    for (const { id, role, content, files: carried } of history) {
      const kept = await keptFiles(this.#api.files, principal, carried);
      const files = await storedFiles(this.#api.files, principal, kept);
      if (role === "user" || content !== "") told.push({ id, role, content, files });
    }
    return told;
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

function forkId(chatId: string, of: readonly unknown[]): string {
  const digest = createHash("sha256").update(JSON.stringify(of)).digest("base64url");
  return `${chatId}${FORK}${digest.slice(0, 22)}`;
}
