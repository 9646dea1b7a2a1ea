import { isEnded, type Principal, type Run, type RunRow, type SessionState } from "@parley/sessions";
import type { Api } from "../../api/api-options.ts";
import { runTakenBy } from "../../api/forked-answer.ts";
import { problemOf } from "../../api/problem.ts";
import { openSession } from "../../api/session-reading.ts";
import { hasMessage, lastAnswer, recordedBefore, type Said, saidBefore, saidIn } from "./ui-history.ts";
import type { UiMessage, UiRequest } from "./ui-request.ts";

/** So many of somebody's newest runs are looked at for those of one chat. */
const NEWEST_RUNS = 200;
/** What a fork's id has after the chat's. */
export const FORK = ".";

/** That a message to a run which was under way came from a chat. */
export function saidMark(messageId: string): string {
  return `ai-sdk:said:${messageId}`;
}

/** A run that answers in a chat, and the session it is in. */
export interface ChatRun {
  readonly state: SessionState;
  readonly run: Run;
  /** The message that it answers, or was told of. */
  readonly messageId: string;
}

/** Where a chat is: in the session of its id, or in one of that session's forks, as the messages show that the client has. */
export class ChatPlaces {
  readonly #sessions: Api["sessions"];
  readonly #newestRuns: number;

  constructor({ sessions }: Pick<Api, "sessions">, newestRuns = NEWEST_RUNS) {
    this.#sessions = sessions;
    this.#newestRuns = newestRuns;
  }

  /** What the client says, and in which session; where it sends that alone, what it said before is as we have it. */
  async placed(
    principal: Principal,
    request: UiRequest,
  ): Promise<{ readonly state: SessionState | undefined; readonly said: Said }> {
    const { chatId, messages, isAlone } = request;
    const [last] = messages;
    if (!isAlone || !last) {
      const state = await this.#open(principal, request);
      return { state, said: saidIn(messages, state) };
    }
    const { state = await this.found(principal, chatId) } = (await this.newest(principal, chatId)) ?? {};
    return { state, said: saidIn(state ? [...recordedBefore(state, last), last] : messages, state) };
  }

  /** The session in which something was answered, if it is there. */
  answered(principal: Principal, request: UiRequest, message: UiMessage): Promise<SessionState | undefined> {
    const { messages } = request;
    const upTo = messages.slice(0, messages.indexOf(message) + 1);
    return this.#open(principal, { ...request, messages: upTo });
  }

  /** The newest run of a chat, in whichever of its sessions. */
  async newest(principal: Principal, chatId: string): Promise<ChatRun | undefined> {
    const known = await this.#runs(principal, chatId);
    const rows = known.length > 0 ? known : await this.#oldRuns(principal, chatId);
    for (const row of rows) {
      const found = await this.#chatRun(principal, row);
      if (found) return found;
    }
    const [deleted] = rows;
    if (deleted) await openSession(this.#sessions, principal, deleted.sessionId);
    return undefined;
  }

  /** The run that answers this message: one that is under way, else that of the session where the client is, or of another. */
  async answering(
    principal: Principal,
    chatId: string,
    said: Said,
    placed: SessionState | undefined,
  ): Promise<ChatRun | undefined> {
    const message = placed && saidBefore(placed, said);
    const run = message && runTakenBy(placed, message);
    const here = run && { state: placed, run, messageId: said.id };
    if (here && !isEnded(here.run)) return here;
    const elsewhere: ChatRun[] = [];
    for (const row of await this.#runs(principal, chatId)) {
      if (row.messageId !== said.id || row.sessionId === placed?.id) continue;
      const found = await this.#chatRun(principal, row);
      if (found && saidBefore(found.state, said)) elsewhere.push({ ...found, messageId: said.id });
    }
    const underWay = elsewhere.find((one) => !isEnded(one.run));
    return underWay ?? here ?? (message ? undefined : elsewhere[0]);
  }

  /** A session of the principal's, if it is there. */
  async found(principal: Principal, id: string): Promise<SessionState | undefined> {
    try {
      return await this.#sessions.state(principal, id);
    } catch (error) {
      if (problemOf(error)?.code === "not_found") return undefined;
      throw error;
    }
  }

  async #chatRun(principal: Principal, { id, sessionId }: RunRow): Promise<ChatRun | undefined> {
    const state = await this.#sessions.state(principal, sessionId);
    const run = state.status === "deleted" ? undefined : state.runs.get(id);
    if (!run) return undefined;
    const told = state.messages.filter((message) => message.role === "user" && message.runId === id);
    // What others said to it is no message of the client's, which has the answer to its own.
    const marks = told.length > 0 ? await this.#sessions.marks(principal, sessionId) : new Set();
    const own = told.findLast((message) => marks.has(saidMark(message.id)));
    return { state, run, messageId: own?.id ?? run.messageId };
  }

  async #runs(principal: Principal, chatId: string): Promise<RunRow[]> {
    const runs = await this.#sessions.runs(principal, { limit: this.#newestRuns });
    return runs.filter(({ sessionId }) => isOf(chatId, sessionId));
  }

  /** Of a chat in which nothing was said for long: the last run of each of its sessions, the newest first. */
  async #oldRuns(principal: Principal, chatId: string): Promise<RunRow[]> {
    const rows: RunRow[] = [];
    for await (const { id } of this.#family(principal, chatId))
      rows.push(...(await this.#sessions.runs(principal, { sessionId: id, limit: 1 })));
    return rows.sort((one, other) => other.place - one.place);
  }

  /** The session in which the client's conversation is, unless it was deleted; undefined: the chat has none. */
  async #open(principal: Principal, request: UiRequest): Promise<SessionState | undefined> {
    const state = await this.#located(principal, request);
    return state?.status === "deleted" ? openSession(this.#sessions, principal, state.id) : state;
  }

  async #located(principal: Principal, { chatId, messages }: UiRequest): Promise<SessionState | undefined> {
    const last = lastAnswer(messages);
    const named = last?.session !== undefined && isOf(chatId, last.session) ? last.session : chatId;
    const first = await this.found(principal, named);
    if (first && (!last || hasMessage(first, last))) return first;
    const own = named === chatId ? first : await this.found(principal, chatId);
    if (!own || !last || hasMessage(own, last)) return own;
    for await (const state of this.#family(principal, chatId)) if (hasMessage(state, last)) return state;
    return own;
  }

  /** The session of the chat's id, and its forks, the later ones first. */
  async *#family(principal: Principal, chatId: string): AsyncGenerator<SessionState> {
    const left = [chatId];
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const state = await this.found(principal, id);
      if (!state) continue;
      yield state;
      const forks = state.children.filter((child) => isOf(chatId, child.id)).map((child) => child.id);
      left.push(...forks.reverse());
    }
  }
}

function isOf(chatId: string, sessionId: string): boolean {
  return sessionId === chatId || sessionId.startsWith(chatId + FORK);
}
