import { createHash, randomUUID } from "node:crypto";
import { IndexConflictError } from "@parley/journal";
import {
  CommandRefusedError,
  isEnded,
  type Principal,
  type SessionState,
  type ToldMessage,
} from "@parley/sessions";
import type { AdapterHost } from "../adapter-host.ts";
import {
  ConversationResolver,
  type ForkPlace,
  type ResolvedRun,
} from "../conversations/conversation-resolver.ts";
import type { NewMessage } from "../conversations/conversations.ts";
import { agreedPlace, findRepeated, matchById } from "../conversations/matching/match-by-id.ts";
import { storedFiles } from "../conversations/stored-files.ts";
import { problemOf } from "../problem.ts";
import { ChatSessions, FORK, postedMark } from "./chat-sessions.ts";
import { storeUiFiles } from "./ui-files.ts";
import { lastAnswer, type UiMessage, type UiRequest } from "./ui-request.ts";

type UserMessage = NewMessage & { readonly id: string };

/**
 * Resolves one request of the AI SDK. A chat's id is that of its session. What a client shows that is not that session's
 * end (an edited message, another answer) goes on in forks whose ids begin with the chat's; which of them is meant
 * follows from the messages that the client sends along, so any node finds it.
 */
export class UiChatResolver {
  readonly #host: AdapterHost;
  readonly #principal: Principal;
  readonly #request: UiRequest;
  readonly #chat: ChatSessions;
  readonly #conversations: ConversationResolver;

  constructor(host: AdapterHost, principal: Principal, request: UiRequest) {
    this.#host = host;
    this.#principal = principal;
    this.#request = request;
    this.#chat = new ChatSessions(host, principal, request.chatId);
    this.#conversations = new ConversationResolver(host, principal);
  }

  /** Posts the last message: at the session's end, or in a fork where the client's history goes another way. */
  async post(): Promise<ResolvedRun> {
    const { agent, thinking } = this.#request;
    const { state, newest } = await this.#chat.place(this.#request);
    const { id, content, history } = newest;
    const resolution = state && this.#conversations.resolve(state, matchById(state, newest));
    if (resolution?.kind === "known") return { ...resolution, messageId: id };
    const files = await storeUiFiles(this.#host.files, this.#principal, newest.files);
    const asking = { id, content, files, agent, thinking };
    if (!resolution) return this.#begin(asking, history);
    if (resolution.kind === "continue") return this.#postIn(resolution.state, asking);
    const { place, left } = resolution;
    const recorded = left.length === 0 ? undefined : await this.#recorded(left);
    const forkId = this.#forkId(recorded ? [state.id, newest] : [state.id, place, id, content]);
    return this.#fork({ state, place, history: recorded }, forkId, asking);
  }

  /** Answers the last message once more, in a fork; a run that answers it already is that answer. */
  async regenerate(key: string | undefined): Promise<ResolvedRun> {
    const { agent, thinking } = this.#request;
    const { state, newest } = await this.#chat.place(this.#request);
    const asked = await this.#chat.answeringRun(newest, state);
    if (asked && !isEnded(asked.run)) return asked;
    const forkId = this.#forkId([key ?? randomUUID()]);
    const repeated = state && findRepeated(state, newest);
    const asking = { id: newest.id, content: newest.content, agent, thinking };
    const message = asked?.state.messages.find(({ id }) => id === asked.run.messageId && id === newest.id);
    if (asked && message)
      return this.#conversations.answerAgain({ ...asked, message }, { asking, key, forkId });
    if (!repeated) return this.post();
    // It was sent to the run of another message, or before there was one: no run of its own can be repeated.
    const files = repeated.files?.map(({ blob }) => blob);
    return this.#fork({ state, place: repeated.index }, forkId, { ...asking, files });
  }

  /** Begins a chat without a session yet: with a history from elsewhere, or as a fork of the session that its history names. */
  async #begin(asking: UserMessage, history: readonly UiMessage[]): Promise<ResolvedRun> {
    const { chatId: id } = this.#request;
    const { agent } = asking;
    if (history.length === 0)
      return this.#postIn(await unlessTaken(id, this.#conversations.create({ id, agent })), asking);
    const { session } = lastAnswer(history) ?? {};
    const state = session === undefined ? undefined : await this.#chat.find(session);
    const place = state && state.status !== "deleted" ? agreedPlace(state, history) : undefined;
    if (state && place !== undefined) return this.#fork({ state, place }, id, asking);
    const recorded = await this.#recorded(history);
    const begin = this.#conversations.begin({ id, agent, history: recorded, key: `adopt:${id}` });
    return this.#postIn((await unlessTaken(id, begin)).state, asking);
  }

  async #postIn({ id }: SessionState, asking: UserMessage): Promise<ResolvedRun> {
    const { state, run } = await this.#conversations.post(id, asking);
    if (run.messageId !== asking.id)
      await this.#host.sessions.mark(this.#principal, id, postedMark(asking.id));
    return { state, run, messageId: asking.id };
  }

  #fork(at: ForkPlace, forkId: string, asking: UserMessage): Promise<ResolvedRun> {
    const intent = { kept: at.place, told: at.history, ...asking };
    return unlessTaken(forkId, this.#conversations.fork(at, { asking, forkId, intent }));
  }

  /** The client's history as messages of the record, with its files stored. */
  async #recorded(history: readonly UiMessage[]): Promise<ToldMessage[]> {
    const recorded: ToldMessage[] = [];
    for (const { id, role, content, files: carried } of history) {
      const blobs = await storeUiFiles(this.#host.files, this.#principal, carried);
      const files = await storedFiles(this.#host.files, this.#principal, blobs);
      if (role === "user" || content !== "") recorded.push({ id, role, content, files });
    }
    return recorded;
  }

  #forkId(parts: readonly unknown[]): string {
    const digest = createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
    return `${this.#request.chatId}${FORK}${digest.slice(0, 22)}`;
  }
}

/** A session that somebody else has under this id is reported as not found. */
async function unlessTaken<Made>(id: string, made: Promise<Made>): Promise<Made> {
  try {
    return await made;
  } catch (error) {
    const isTaken = error instanceof IndexConflictError || problemOf(error)?.code === "conflict";
    throw isTaken ? new CommandRefusedError("not_found", `There is no session ${id}`) : error;
  }
}
