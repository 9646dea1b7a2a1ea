import { isEnded, type Principal, type RunRow, type SessionState } from "@parley/sessions";
import type { AdapterHost } from "../adapter-host.ts";
import type { ResolvedRun } from "../conversations/conversation-resolver.ts";
import { findRepeated, knownMessages } from "../conversations/matching/match-by-id.ts";
import { familyOf } from "../conversations/session-family.ts";
import { openSession, runTakenBy } from "../conversations/session-reading.ts";
import { unless } from "../problem.ts";
import { lastAnswer, type NewUiMessage, newUiMessage, type UiMessage, type UiRequest } from "./ui-request.ts";

/** How many of a user's newest runs are searched for those of one chat. */
const NEWEST_RUNS = 200;
/** What a fork's id has after the chat's. */
export const FORK = ".";

/** The mark that a message to a run under way came from a chat. */
export function postedMark(messageId: string): string {
  return `ai-sdk:said:${messageId}`;
}

/** The sessions of one chat: the one of its id and that session's forks; the client's messages show which is meant. */
export class ChatSessions {
  readonly #sessions: AdapterHost["sessions"];
  readonly #principal: Principal;
  readonly #chatId: string;
  readonly #newestRuns: number;

  constructor(
    { sessions }: Pick<AdapterHost, "sessions">,
    principal: Principal,
    chatId: string,
    newestRuns = NEWEST_RUNS,
  ) {
    this.#sessions = sessions;
    this.#principal = principal;
    this.#chatId = chatId;
    this.#newestRuns = newestRuns;
  }

  /** The client's new message and its session; where the client sends that message alone, its history is the record's. */
  async place({ messages, isAlone }: UiRequest): Promise<{
    readonly state: SessionState | undefined;
    readonly newest: NewUiMessage;
  }> {
    const [last] = messages;
    if (!isAlone || !last) {
      const state = await this.#locate(messages);
      return { state, newest: newUiMessage(messages, state) };
    }
    const { state = await this.find(this.#chatId) } = (await this.newestRun()) ?? {};
    const all = state ? [...recordedBefore(state, last), last] : messages;
    return { state, newest: newUiMessage(all, state) };
  }

  /** The session in which a message's questions were asked, if it is there. */
  answered({ messages }: UiRequest, message: UiMessage): Promise<SessionState | undefined> {
    return this.#locate(messages.slice(0, messages.indexOf(message) + 1));
  }

  /** The newest run of the chat, in whichever of its sessions. */
  async newestRun(): Promise<ResolvedRun | undefined> {
    const known = await this.#runs();
    const rows = known.length > 0 ? known : await this.#oldRuns();
    for (const row of rows) {
      const found = await this.#chatRun(row);
      if (found) return found;
    }
    const [deleted] = rows;
    if (deleted) await openSession(this.#sessions, this.#principal, deleted.sessionId);
    return undefined;
  }

  /** The run that answers this message: one that is under way, else that of the session where the client is, or of another. */
  async answeringRun(
    newest: NewUiMessage,
    placed: SessionState | undefined,
  ): Promise<ResolvedRun | undefined> {
    const message = placed && findRepeated(placed, newest);
    const run = message && runTakenBy(placed, message);
    const here = run && { state: placed, run, messageId: newest.id };
    if (here && !isEnded(here.run)) return here;
    const elsewhere: ResolvedRun[] = [];
    for (const row of await this.#runs()) {
      if (row.messageId !== newest.id || row.sessionId === placed?.id) continue;
      const found = await this.#chatRun(row);
      if (found && findRepeated(found.state, newest)) elsewhere.push({ ...found, messageId: newest.id });
    }
    const underWay = elsewhere.find((one) => !isEnded(one.run));
    return underWay ?? here ?? (message ? undefined : elsewhere[0]);
  }

  /** A session of the principal's, deleted or not. */
  find(id: string): Promise<SessionState | undefined> {
    return unless("not_found", this.#sessions.state(this.#principal, id));
  }

  async #chatRun({ id, sessionId }: RunRow): Promise<ResolvedRun | undefined> {
    const state = await this.#sessions.state(this.#principal, sessionId);
    const run = state.status === "deleted" ? undefined : state.runs.get(id);
    if (!run) return undefined;
    const received = state.messages.filter((message) => message.role === "user" && message.runId === id);
    // Messages that others sent to the run are not the client's, which has the answer to its own.
    const marks = received.length > 0 ? await this.#sessions.marks(this.#principal, sessionId) : new Set();
    const own = received.findLast((message) => marks.has(postedMark(message.id)));
    return { state, run, messageId: own?.id ?? run.messageId };
  }

  async #runs(): Promise<RunRow[]> {
    const runs = await this.#sessions.runs(this.#principal, { limit: this.#newestRuns });
    return runs.filter(({ sessionId }) => this.#isOwn(sessionId));
  }

  /** The last run of each session of a chat that has been idle for long, the newest first. */
  async #oldRuns(): Promise<RunRow[]> {
    const rows: RunRow[] = [];
    const root = await this.find(this.#chatId);
    if (!root) return [];
    for await (const { id } of this.#family(root))
      rows.push(...(await this.#sessions.runs(this.#principal, { sessionId: id, limit: 1 })));
    return rows.sort((one, other) => other.place - one.place);
  }

  /** The session in which the client's conversation is; undefined: the chat has none. Throws where it was deleted. */
  async #locate(messages: readonly UiMessage[]): Promise<SessionState | undefined> {
    const state = await this.#sessionOf(lastAnswer(messages));
    return state?.status === "deleted" ? openSession(this.#sessions, this.#principal, state.id) : state;
  }

  async #sessionOf(last: UiMessage | undefined): Promise<SessionState | undefined> {
    const named = last?.session !== undefined && this.#isOwn(last.session) ? last.session : this.#chatId;
    const first = await this.find(named);
    const isWithin = (state: SessionState) => !last || knownMessages(state)(last);
    if (first && isWithin(first)) return first;
    const root = named === this.#chatId ? first : await this.find(this.#chatId);
    if (!root || isWithin(root)) return root;
    for await (const state of this.#family(root)) if (isWithin(state)) return state;
    return root;
  }

  #family(root: SessionState): AsyncGenerator<SessionState> {
    return familyOf(this.#sessions, this.#principal, root, (id) => this.#isOwn(id));
  }

  #isOwn(sessionId: string): boolean {
    return sessionId === this.#chatId || sessionId.startsWith(this.#chatId + FORK);
  }
}

/** What the session has before a message, for a client that leaves that to us. */
function recordedBefore({ id: session, messages }: SessionState, last: UiMessage): UiMessage[] {
  const at = messages.findIndex(({ id }) => id === last.id);
  const nothing = { files: [], seen: undefined, answers: [], endsAsked: false };
  return messages
    .slice(0, at < 0 ? undefined : at)
    .map(({ id, role, content }) => ({ id, role, content, session, ...nothing }));
}
