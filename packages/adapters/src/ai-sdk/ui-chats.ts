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
  type ResolvedRun,
  resolve,
  type TranscriptMatch,
} from "../conversations/conversation-resolver.ts";
import { Conversations, type NewMessage } from "../conversations/conversations.ts";
import { storedFiles } from "../conversations/stored-files.ts";
import { problemOf } from "../problem.ts";
import { type ChatSessions, FORK, saidMark } from "./chat-sessions.ts";
import { storeUiFiles } from "./ui-files.ts";
import {
  isSameHistory,
  keptOf,
  lastAnswer,
  type NewChatMessage,
  saidBefore,
  sharedBeginning,
} from "./ui-history.ts";
import type { UiMessage, UiRequest } from "./ui-request.ts";

type ChatMessage = NewMessage & { readonly id: string };

/** Where a fork parts from its session, and the client's own history from there on. */
interface Branch {
  readonly state: SessionState;
  readonly place: number;
  readonly childId: string;
  readonly told?: readonly ToldMessage[] | undefined;
}

/**
 * Chats of the AI SDK as sessions. A chat's id is that of its session. What a client shows that is not that session's
 * end (an edited message, another answer) goes on in forks whose ids begin with the chat's; which of them is meant
 * follows from the messages that the client sends along, so any node finds it.
 */
export class UiChats {
  readonly #host: AdapterHost;
  readonly #conversations: Conversations;
  readonly #places: ChatSessions;
  readonly #resolver: ConversationResolver;

  constructor(host: AdapterHost, places: ChatSessions) {
    this.#host = host;
    this.#places = places;
    this.#conversations = new Conversations(host);
    this.#resolver = new ConversationResolver(host);
  }

  /** Says the last message: at the session's end, or in a fork where the client's history goes another way. */
  async say(principal: Principal, request: UiRequest): Promise<ResolvedRun> {
    const { chatId, agent, thinking } = request;
    const { state, said } = await this.#places.placed(principal, request);
    const { id, content, history } = said;
    const resolution = state && resolve(state, matchIn(state, said));
    if (resolution?.kind === "known") return { ...resolution, messageId: id };
    const files = await storeUiFiles(this.#host.files, principal, said.files);
    const asking = { id, content, files, agent, thinking };
    if (!resolution) return this.#begun(principal, chatId, asking, history);
    if (resolution.kind === "continue") return this.#posted(principal, resolution.state, asking);
    const { place, told: left } = resolution;
    const told = left.length === 0 ? undefined : await this.#told(principal, left);
    const childId = forkId(chatId, told ? [state.id, said] : [state.id, place, id, content]);
    return this.#branched(principal, { state, place, childId, told }, asking);
  }

  /** Answers the last message once more, in a fork; a run that answers it already is that answer. */
  async sayAgain(principal: Principal, request: UiRequest, key: string | undefined): Promise<ResolvedRun> {
    const { chatId, agent, thinking } = request;
    const { state: placed, said } = await this.#places.placed(principal, request);
    const asked = await this.#places.answering(principal, chatId, said, placed);
    if (asked && !isEnded(asked.run)) return asked;
    const id = forkId(chatId, [key ?? randomUUID()]);
    const message = placed && saidBefore(placed, said);
    const asking = { id: said.id, content: said.content, agent, thinking };
    const own = asked?.state.messages.find((one) => one.id === asked.run.messageId && one.id === said.id);
    if (asked && own)
      return this.#resolver.answerAgain(principal, { ...asked, message: own }, { asking, key, forkId: id });
    if (!message) return this.say(principal, request);
    // It was sent to the run of another message, or before there was one: no run of its own can be repeated.
    const files = message.files?.map(({ blob }) => blob);
    return this.#branched(
      principal,
      { state: placed, place: message.index, childId: id },
      { ...asking, files },
    );
  }

  /** A chat without a session yet: with a history from elsewhere, or as a fork of the session that its history names. */
  async #begun(
    principal: Principal,
    id: string,
    asking: ChatMessage,
    history: readonly UiMessage[],
  ): Promise<ResolvedRun> {
    const { agent } = asking;
    if (history.length > 0) {
      const { session } = lastAnswer(history) ?? {};
      const state = session === undefined ? undefined : await this.#places.found(principal, session);
      const isThere = state && state.status !== "deleted" && isSameHistory(state, history);
      const kept = isThere ? keptOf(state, history) : undefined;
      if (!state || kept === undefined) return this.#adopted(principal, id, asking, history);
      return this.#branched(principal, { state, place: kept, childId: id }, asking);
    }
    const state = await mine(id, this.#conversations.create(principal, { id, agent }));
    return this.#posted(principal, state, asking);
  }

  async #posted(
    principal: Principal,
    { id: sessionId }: Pick<SessionState, "id">,
    asking: ChatMessage,
  ): Promise<ResolvedRun> {
    const { state, run } = await this.#conversations.post(principal, sessionId, asking);
    if (run.messageId !== asking.id)
      await this.#host.sessions.mark(principal, sessionId, saidMark(asking.id));
    return { state, run, messageId: asking.id };
  }

  #branched(principal: Principal, { childId, ...at }: Branch, asking: ChatMessage): Promise<ResolvedRun> {
    const intent = { kept: at.place, told: at.told, ...asking };
    return mine(childId, this.#resolver.fork(principal, at, { asking, forkId: childId, intent }));
  }

  /** Records the client's history in a new session, and goes on from there. */
  async #adopted(
    principal: Principal,
    id: string,
    asking: ChatMessage,
    history: readonly UiMessage[],
  ): Promise<ResolvedRun> {
    const told = await this.#told(principal, history);
    const { agent } = asking;
    const { state } = await mine(
      id,
      this.#resolver.begin(principal, { id, agent, told, key: `adopt:${id}` }),
    );
    return this.#posted(principal, state, asking);
  }

  /** The client's history as messages of the record, with its files stored. */
  async #told(principal: Principal, history: readonly UiMessage[]): Promise<ToldMessage[]> {
    const told: ToldMessage[] = [];
    for (const { id, role, content, files: carried } of history) {
      const kept = await storeUiFiles(this.#host.files, principal, carried);
      const files = await storedFiles(this.#host.files, principal, kept);
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

/** How far the client's history is the session's: it is the client's own, so what it lacks it has removed. */
function matchIn(state: SessionState, said: NewChatMessage): TranscriptMatch<UiMessage> {
  const message = saidBefore(state, said);
  if (message)
    return { place: message.index, left: [], known: { message, isUnchanged: true }, isAtEnd: false };
  const { history } = said;
  const kept = isSameHistory(state, history) ? keptOf(state, history) : undefined;
  if (kept !== undefined) return { place: kept, left: [], isAtEnd: kept === state.messages.length };
  const shared = sharedBeginning(state, history);
  return { place: shared, left: history.slice(shared), isAtEnd: false };
}

function forkId(chatId: string, of: readonly unknown[]): string {
  const digest = createHash("sha256").update(JSON.stringify(of)).digest("base64url");
  return `${chatId}${FORK}${digest.slice(0, 22)}`;
}
