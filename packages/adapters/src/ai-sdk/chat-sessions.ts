import { isEnded, type Principal, type RunRow, type SessionState } from "@parley/sessions";
import type { AdapterHost } from "../adapter-host.ts";
import type { ResolvedRun } from "../conversations/conversation-resolver.ts";
import { familyOf } from "../conversations/session-family.ts";
import { openSession, runTakenBy } from "../conversations/session-reading.ts";
import { unless } from "../problem.ts";
import {
  hasMessage,
  lastAnswer,
  type NewChatMessage,
  recordedBefore,
  saidBefore,
  uiText,
} from "./ui-history.ts";
import type { UiMessage, UiRequest } from "./ui-request.ts";

/** So many of somebody's newest runs are looked at for those of one chat. */
const NEWEST_RUNS = 200;
/** What a fork's id has after the chat's. */
export const FORK = ".";

/** That a message to a run which was under way came from a chat. */
export function saidMark(messageId: string): string {
  return `ai-sdk:said:${messageId}`;
}

/** Where a chat is: in the session of its id, or in one of that session's forks, as the messages show that the client has. */
export class ChatSessions {
  readonly #sessions: AdapterHost["sessions"];
  readonly #newestRuns: number;

  constructor({ sessions }: Pick<AdapterHost, "sessions">, newestRuns = NEWEST_RUNS) {
    this.#sessions = sessions;
    this.#newestRuns = newestRuns;
  }

  /** The client's new message and its session; where the client sends that message alone, its history is the record's. */
  async placed(
    principal: Principal,
    request: UiRequest,
  ): Promise<{ readonly state: SessionState | undefined; readonly said: NewChatMessage }> {
    const { chatId, messages, isAlone } = request;
    const [last] = messages;
    if (!isAlone || !last) {
      const state = await this.#open(principal, request);
      return { state, said: uiText(messages, state) };
    }
    const { state = await this.found(principal, chatId) } = (await this.newest(principal, chatId)) ?? {};
    return { state, said: uiText(state ? [...recordedBefore(state, last), last] : messages, state) };
  }

  /** The session in which something was answered, if it is there. */
  answered(principal: Principal, request: UiRequest, message: UiMessage): Promise<SessionState | undefined> {
    const { messages } = request;
    const upTo = messages.slice(0, messages.indexOf(message) + 1);
    return this.#open(principal, { ...request, messages: upTo });
  }

  /** The newest run of a chat, in whichever of its sessions. */
  async newest(principal: Principal, chatId: string): Promise<ResolvedRun | undefined> {
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
    said: NewChatMessage,
    placed: SessionState | undefined,
  ): Promise<ResolvedRun | undefined> {
    const message = placed && saidBefore(placed, said);
    const run = message && runTakenBy(placed, message);
    const here = run && { state: placed, run, messageId: said.id };
    if (here && !isEnded(here.run)) return here;
    const elsewhere: ResolvedRun[] = [];
    for (const row of await this.#runs(principal, chatId)) {
      if (row.messageId !== said.id || row.sessionId === placed?.id) continue;
      const found = await this.#chatRun(principal, row);
      if (found && saidBefore(found.state, said)) elsewhere.push({ ...found, messageId: said.id });
    }
    const underWay = elsewhere.find((one) => !isEnded(one.run));
    return underWay ?? here ?? (message ? undefined : elsewhere[0]);
  }

  /** A session of the principal's, if it is there. */
  found(principal: Principal, id: string): Promise<SessionState | undefined> {
    return unless("not_found", this.#sessions.state(principal, id));
  }

  async #chatRun(principal: Principal, { id, sessionId }: RunRow): Promise<ResolvedRun | undefined> {
    const state = await this.#sessions.state(principal, sessionId);
    const run = state.status === "deleted" ? undefined : state.runs.get(id);
    if (!run) return undefined;
    const told = state.messages.filter((message) => message.role === "user" && message.runId === id);
    // Messages that others sent to the run are not the client's, which has the answer to its own.
    const marks = told.length > 0 ? await this.#sessions.marks(principal, sessionId) : new Set();
    const own = told.findLast((message) => marks.has(saidMark(message.id)));
    return { state, run, messageId: own?.id ?? run.messageId };
  }

  async #runs(principal: Principal, chatId: string): Promise<RunRow[]> {
    const runs = await this.#sessions.runs(principal, { limit: this.#newestRuns });
    return runs.filter(({ sessionId }) => isOf(chatId, sessionId));
  }

  /** The last run of each session of a chat that has been idle for long, the newest first. */
  async #oldRuns(principal: Principal, chatId: string): Promise<RunRow[]> {
    const rows: RunRow[] = [];
    const root = await this.found(principal, chatId);
    if (!root) return [];
    for await (const { id } of this.#family(principal, root, chatId))
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
    for await (const state of this.#family(principal, own, chatId)) if (hasMessage(state, last)) return state;
    return own;
  }

  #family(principal: Principal, root: SessionState, chatId: string): AsyncGenerator<SessionState> {
    return familyOf(this.#sessions, principal, root, (id) => isOf(chatId, id));
  }
}

function isOf(chatId: string, sessionId: string): boolean {
  return sessionId === chatId || sessionId.startsWith(chatId + FORK);
}
