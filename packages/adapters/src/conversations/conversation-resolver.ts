import { IndexConflictError } from "@parley/journal";
import {
  type Principal,
  type Run,
  type SessionMessage,
  type SessionState,
  type ToldMessage,
  toldMessages,
} from "@parley/sessions";
import type { AdapterHost } from "../adapter-host.ts";
import { unless } from "../problem.ts";
import { type Asked, Conversations, type NewMessage } from "./conversations.ts";
import { runTakenBy } from "./session-reading.ts";
import type { Resolution, TranscriptMatch, TranscriptMessage } from "./transcript.ts";

/** A session that begins with a client's history. */
export interface NewConversation {
  readonly id: string;
  readonly agent?: string | undefined;
  readonly title?: string | undefined;
  readonly history: readonly ToldMessage[];
  /** The same history begun again under this key is the same session. */
  readonly key?: string | undefined;
}

/** A user's new message, and by what the request is known when it comes again. */
export interface MessageCommand {
  readonly asking: NewMessage;
  readonly key?: string | undefined;
  /** The id of the fork that it makes, if it makes one. */
  readonly forkId?: string | undefined;
  /** What the key stands for: another intent under the same key is refused. */
  readonly intent?: unknown;
}

/** Where a fork leaves its session, and the client's own history from there on. */
export interface ForkPlace {
  readonly state: SessionState;
  readonly place: number;
  readonly history?: readonly ToldMessage[] | undefined;
}

/** A run that answers a message, in the session where it does. */
export interface ResolvedRun {
  readonly state: SessionState;
  readonly run: Run;
  readonly messageId: string;
}

/** Decides whether a client that resent its history continues, repeats or forks a conversation, and does so for one principal. */
export class ConversationResolver {
  readonly #host: Pick<AdapterHost, "sessions" | "runs" | "files">;
  readonly #principal: Principal;
  readonly #conversations: Conversations;

  constructor(host: Pick<AdapterHost, "sessions" | "runs" | "files">, principal: Principal) {
    this.#host = host;
    this.#principal = principal;
    this.#conversations = new Conversations(host);
  }

  /** Decides what a request with its history means to a session: continue, replay or fork. */
  resolve<Message extends TranscriptMessage>(
    state: SessionState,
    { place, left, known, isAtEnd }: TranscriptMatch<Message>,
  ): Resolution<Message> {
    if (left.length > 0) return { kind: "fork", state, place, left };
    if (known) {
      const { message, isUnchanged } = known;
      // The messages that a fork began with were answered elsewhere.
      const run = isUnchanged ? runTakenBy(state, message) : undefined;
      return run
        ? { kind: "known", state, message, run }
        : { kind: "fork", state, place: message.index, left: [] };
    }
    return isAtEnd ? { kind: "continue", state } : { kind: "fork", state, place, left: [] };
  }

  /** Resolves a history among several sessions: the first that it continues or repeats, else a fork of the one that has most of it. */
  async resolveAmong<Message extends TranscriptMessage>(
    states: AsyncIterable<SessionState>,
    match: (state: SessionState) => TranscriptMatch<Message>,
  ): Promise<Resolution<Message> | undefined> {
    let fork: Extract<Resolution<Message>, { kind: "fork" }> | undefined;
    for await (const state of states) {
      const resolution = this.resolve(state, match(state));
      if (resolution.kind !== "fork") return resolution;
      if (!fork || resolution.left.length < fork.left.length) fork = resolution;
    }
    return fork;
  }

  /** The principal's session, deleted or not; undefined: there is none. */
  find(id: string): Promise<SessionState | undefined> {
    return unless("not_found", this.#host.sessions.state(this.#principal, id));
  }

  /** Starts a session without a history. */
  create(session: { readonly id: string; readonly agent?: string | undefined }): Promise<SessionState> {
    return this.#conversations.create(this.#principal, session);
  }

  /** Starts a session with a history; `isNew` is false where the same user has just started it. Another user's is not found. */
  async begin({ id, agent, title = "", history, key }: NewConversation): Promise<{
    readonly state: SessionState;
    readonly isNew: boolean;
  }> {
    const { sessions, runs } = this.#host;
    const principal = this.#principal;
    // An unknown agent is refused before anything is recorded.
    await runs.newRun(principal, { id }, { agent });
    const created = { type: "session_created", ...principal, title, ...(agent && { agent }) } as const;
    const events = [created, ...toldMessages(id, history)];
    try {
      const keyed = key === undefined ? {} : { key, asked: history };
      return { state: (await sessions.adopt(principal, id, events, keyed)).state, isNew: true };
    } catch (error) {
      if (!(error instanceof IndexConflictError)) throw error;
      return { state: await sessions.state(principal, id), isNew: false };
    }
  }

  /** Posts a message at the session's end; `after`: only if the session still has so many messages. */
  post(
    sessionId: string,
    asking: NewMessage & { readonly after?: number | undefined },
    key?: string,
  ): Promise<Asked> {
    return this.#conversations.post(this.#principal, sessionId, asking, key);
  }

  /** Posts a message in a fork that begins with the first `place` messages and the client's own history after them. */
  async fork(
    { state, place, history: told }: ForkPlace,
    { asking, key, forkId, intent }: MessageCommand,
  ): Promise<ResolvedRun> {
    const branch = { ...asking, at: { messages: place }, fork: { id: forkId }, told };
    const asked = intent ?? branch;
    const fork = await this.#conversations.branch(this.#principal, state.id, branch, { key, asked });
    return answeringRun(fork);
  }

  /** Answers a message again, in a fork: on the run's own snapshot, or, where that run did not answer this message alone, by posting it again. */
  async answerAgain(
    { state, message, run }: { state: SessionState; message: SessionMessage; run: Run | undefined },
    command: MessageCommand,
  ): Promise<ResolvedRun> {
    const { asking, key, forkId: id } = command;
    const { agent, thinking, skill } = asking;
    if (run?.messageId !== message.id || skill !== undefined)
      return this.fork({ state, place: message.index }, command);
    const of = { sessionId: state.id, runId: run.id };
    return answeringRun(await this.#conversations.retry(this.#principal, of, { id, agent, thinking }, key));
  }
}

/** The run of a fork that was made to answer something. */
function answeringRun(state: SessionState): ResolvedRun {
  const run = [...state.runs.values()].at(-1);
  if (!run) throw new Error(`Fork ${state.id} was made for a run and has none`);
  return { state, run, messageId: run.messageId };
}
