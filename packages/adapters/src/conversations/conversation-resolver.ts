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
import { Conversations, type NewMessage } from "./conversations.ts";
import { runTakenBy } from "./session-reading.ts";

/** How far the history that a client sent along is a session's; `Told` is a message as the client sent it. */
export interface TranscriptMatch<Told> {
  /** How many of the session's messages the client has, or has passed by. */
  readonly place: number;
  /** The client's messages from the first one on that is not the session's. */
  readonly left: readonly Told[];
  /** The recorded message that the client's newest one is, and whether it says the same. */
  readonly known?: { readonly message: SessionMessage; readonly isUnchanged: boolean } | undefined;
  /** Whether the newest message can follow the session's last one. */
  readonly isAtEnd: boolean;
}

/** What a request with its history means to a session. */
export type Resolution<Told> =
  /** The client is where the session is: the message is posted. */
  | { readonly kind: "continue"; readonly state: SessionState }
  /** The session has the message and a run that took it: the same request again, or another answer is wanted. */
  | {
      readonly kind: "known";
      readonly state: SessionState;
      readonly message: SessionMessage;
      readonly run: Run;
    }
  /** The histories part after `place` messages: a fork takes those, then what the client says came next. */
  | {
      readonly kind: "fork";
      readonly state: SessionState;
      readonly place: number;
      readonly told: readonly Told[];
    };

/** Decides what a request means to a session: continue, replay or fork. */
export function resolve<Told>(state: SessionState, match: TranscriptMatch<Told>): Resolution<Told> {
  const { place, left, known, isAtEnd } = match;
  if (left.length > 0) return { kind: "fork", state, place, told: left };
  if (known) {
    const { message, isUnchanged } = known;
    // The messages that a fork began with were answered elsewhere.
    const run = isUnchanged ? runTakenBy(state, message) : undefined;
    return run
      ? { kind: "known", state, message, run }
      : { kind: "fork", state, place: message.index, told: [] };
  }
  return isAtEnd ? { kind: "continue", state } : { kind: "fork", state, place, told: [] };
}

/** Resolves a history among several sessions: the first that it continues or repeats, else a fork of the one that has most of it. */
export async function resolveAmong<Told>(
  states: AsyncIterable<SessionState>,
  match: (state: SessionState) => TranscriptMatch<Told>,
): Promise<Resolution<Told> | undefined> {
  let fork: Extract<Resolution<Told>, { kind: "fork" }> | undefined;
  for await (const state of states) {
    const resolution = resolve(state, match(state));
    if (resolution.kind !== "fork") return resolution;
    if (!fork || resolution.told.length < fork.told.length) fork = resolution;
  }
  return fork;
}

/** A session that begins with a client's history. */
export interface NewConversation {
  readonly id: string;
  readonly agent?: string | undefined;
  readonly title?: string | undefined;
  readonly told: readonly ToldMessage[];
  /** The same history begun again under this key is the same session. */
  readonly key?: string | undefined;
}

/** What a user says, and by what the request is known when it comes again. */
export interface MessageCommand {
  readonly asking: NewMessage;
  readonly key?: string | undefined;
  /** The id of the fork that it makes, if it makes one. */
  readonly forkId?: string | undefined;
  /** What the key stands for: another intent under the same key is refused. */
  readonly intent?: unknown;
}

/** A run that answers a message, in the session where it does. */
export interface ResolvedRun {
  readonly state: SessionState;
  readonly run: Run;
  readonly messageId: string;
}

/** Carries out what `resolve` decided, for every protocol alike. */
export class ConversationResolver {
  readonly #host: Pick<AdapterHost, "sessions" | "runs" | "files">;
  readonly #conversations: Conversations;

  constructor(host: Pick<AdapterHost, "sessions" | "runs" | "files">) {
    this.#host = host;
    this.#conversations = new Conversations(host);
  }

  /** Starts a session with a history; `isNew` is false where the same user has just started it. Another user's is not found. */
  async begin(
    principal: Principal,
    { id, agent, title = "", told, key }: NewConversation,
  ): Promise<{ readonly state: SessionState; readonly isNew: boolean }> {
    const { sessions, runs } = this.#host;
    // An unknown agent is refused before anything is recorded.
    await runs.newRun(principal, { id }, { agent });
    const created = { type: "session_created", ...principal, title, ...(agent && { agent }) } as const;
    const events = [created, ...toldMessages(id, told)];
    try {
      const keyed = key === undefined ? {} : { key, asked: told };
      return { state: (await sessions.adopt(principal, id, events, keyed)).state, isNew: true };
    } catch (error) {
      if (!(error instanceof IndexConflictError)) throw error;
      return { state: await sessions.state(principal, id), isNew: false };
    }
  }

  /** Says it in a fork that begins with the first `place` messages and what the client says came then. */
  async fork(
    principal: Principal,
    { state, place, told }: { state: SessionState; place: number; told?: readonly ToldMessage[] | undefined },
    { asking, key, forkId, intent }: MessageCommand,
  ): Promise<ResolvedRun> {
    const branch = { ...asking, at: { messages: place }, fork: { id: forkId }, told };
    const asked = intent ?? branch;
    return answeringRun(await this.#conversations.branch(principal, state.id, branch, { key, asked }));
  }

  /** Answers a message again, in a fork: on the run's own snapshot, or, where that run did not answer this message alone, by posting it again. */
  async answerAgain(
    principal: Principal,
    { state, message, run }: { state: SessionState; message: SessionMessage; run: Run | undefined },
    command: MessageCommand,
  ): Promise<ResolvedRun> {
    const { asking, key, forkId: id } = command;
    const { agent, thinking, skill } = asking;
    if (run?.messageId !== message.id || skill !== undefined)
      return this.fork(principal, { state, place: message.index }, command);
    const of = { sessionId: state.id, runId: run.id };
    return answeringRun(await this.#conversations.retry(principal, of, { id, agent, thinking }, key));
  }
}

/** The run of a fork that was made to answer something. */
function answeringRun(state: SessionState): ResolvedRun {
  const run = [...state.runs.values()].at(-1);
  if (!run) throw new Error(`Fork ${state.id} was made for a run and has none`);
  return { state, run, messageId: run.messageId };
}
