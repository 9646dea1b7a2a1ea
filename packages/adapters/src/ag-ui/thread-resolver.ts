import {
  activeRun,
  isEnded,
  type Principal,
  type RecordedSessionEvent,
  type Run,
  type SessionState,
} from "@parley/sessions";
import type { AdapterHost } from "../adapter-host.ts";
import { commandIds } from "../conversations/command-ids.ts";
import { ConversationResolver, type ResolvedRun } from "../conversations/conversation-resolver.ts";
import type { Asked, NewMessage } from "../conversations/conversations.ts";
import { matchByIdOrContent } from "../conversations/matching/match-by-id-or-content.ts";
import { namedSession } from "../conversations/named-session.ts";
import { familyOf, isInFamily, startingWith } from "../conversations/session-family.ts";
import type { Resolution, TranscriptMatch } from "../conversations/transcript.ts";
import { type FollowedRun, followFromNow, followFromStart } from "../followed-run.ts";
import { Problem, unless } from "../problem.ts";
import {
  keyOf,
  newestIn,
  type ParsedRunInput,
  parseRunInput,
  recordedHistory,
  type ThreadMessage,
  threadMessages,
} from "./parsing/parse-run-input.ts";
import type { CheckedInput } from "./parsing/run-agent-input.ts";
import { eventsSinceStart, resumedRun } from "./resumed-run.ts";

/** What a request leads to: a run to stream from some point on, or only the history. */
export interface ThreadRun {
  /** The session as it was when the run, or this part of it, began. */
  readonly state: SessionState;
  readonly run?: Run | undefined;
  readonly followed?: FollowedRun | undefined;
  /** The run's events that the client has already, or gets as a snapshot. */
  readonly earlier?: readonly RecordedSessionEvent[] | undefined;
}

/**
 * Resolves one request to run an agent in a thread. A client keeps its thread's id when its history has become a fork,
 * so the thread is the session with all its forks, and the history tells which of them is meant; where it fits several,
 * the one that the client saw last.
 */
export class ThreadResolver {
  readonly #host: AdapterHost;
  readonly #principal: Principal;
  readonly #checked: CheckedInput;
  readonly #agent: string | undefined;
  readonly #conversations: ConversationResolver;

  constructor(host: AdapterHost, principal: Principal, checked: CheckedInput, agent?: string) {
    this.#host = host;
    this.#principal = principal;
    this.#checked = checked;
    this.#agent = agent;
    this.#conversations = new ConversationResolver(host, principal);
  }

  /** Carries out the request; undefined where the thread does not exist and the request has no new message. */
  async resolve(): Promise<ThreadRun | undefined> {
    const { sessions } = this.#host;
    const { input, isForPage } = this.#checked;
    if (isForPage) return undefined;
    const threadId = await namedSession(sessions, this.#principal, input.threadId);
    const thread = await this.#conversations.find(threadId);
    if (thread?.status === "deleted")
      throw new Problem("gone", "The thread was deleted: restore it, or begin another");
    const newest = newestIn(input.messages);
    const parsed = newest && (await this.#parse(newest));
    const { resume = [], runId } = input;
    if (resume.length > 0) {
      const resumed = await resumedRun(sessions, this.#principal, { thread, resume, key: keyOf([runId]) });
      return parsed ? this.#steer(resumed, parsed) : resumed;
    }
    if (parsed) return this.#say(thread ?? (await this.#begin(threadId, parsed)), parsed);
    if (!thread) return undefined;
    const cut = await this.#cutRun(thread);
    if (cut) return cut;
    const state = await this.#whereClientIs(thread);
    return this.#attach(state, activeRun(state));
  }

  #parse(newest: Parameters<typeof parseRunInput>[3]): Promise<ParsedRunInput> {
    return parseRunInput(this.#host.files, this.#principal, this.#checked, newest, this.#agent);
  }

  /** Creates the thread's session with the client's history. */
  async #begin(id: string, { asking, transcript, messages }: ParsedRunInput): Promise<SessionState> {
    const { agent } = asking;
    const history = await recordedHistory(this.#host.files, this.#principal, {
      history: transcript.slice(0, -1),
      messages,
      taken: [asking.id],
    });
    if (history.length === 0) return this.#conversations.create({ id, agent });
    return (await this.#conversations.begin({ id, agent, history })).state;
  }

  async #say(thread: SessionState, parsed: ParsedRunInput): Promise<ThreadRun> {
    const { asking, messages, key } = parsed;
    const { forkId, run } = await this.#earlierFork(thread, parsed);
    if (run) return run;
    const resolution = await this.#place(thread, parsed);
    const { state } = resolution;
    switch (resolution.kind) {
      case "continue":
        return this.#post(state.id, asking, key);
      case "known": {
        // The same request again leads to the same run; another one that ends with this message wants another answer.
        const posted = await unless("conflict", this.#post(state.id, asking, key));
        if (posted) return posted;
        if (!isEnded(resolution.run)) return this.#attach(state, resolution.run);
        return forked(await this.#conversations.answerAgain(resolution, { asking, forkId, key }));
      }
      case "fork": {
        const { place, left } = resolution;
        const taken = state.messages.slice(0, place).map(({ id }) => id);
        const history = await recordedHistory(this.#host.files, this.#principal, {
          history: left,
          messages,
          known: state.messages,
          taken: [...taken, asking.id],
        });
        return forked(await this.#conversations.fork({ state, place, history }, { asking, forkId, key }));
      }
    }
  }

  /** Where in the thread the new message belongs. */
  async #place(
    thread: SessionState,
    { transcript, isWhole }: ParsedRunInput,
  ): Promise<Resolution<ThreadMessage>> {
    const newest = transcript.at(-1);
    const seen = await this.#seen(thread);
    const request = { history: transcript.slice(0, -1), isBack: isWhole && seen !== undefined };
    const found =
      newest &&
      (await this.#conversations.resolveAmong(this.#family(thread, seen), (state) =>
        matchIn(state, newest, request),
      ));
    return found ?? { kind: "continue", state: thread };
  }

  /** The session that a client without a new message is in. */
  async #whereClientIs(thread: SessionState): Promise<SessionState> {
    const transcript = threadMessages(this.#checked.input.messages);
    const seen = await this.#seen(thread);
    for await (const state of this.#family(thread, seen))
      if (matchByIdOrContent(state, transcript).left.length === 0) return state;
    return seen ?? thread;
  }

  #family(thread: SessionState, first?: SessionState): AsyncGenerator<SessionState> {
    return startingWith(first, familyOf(this.#host.sessions, this.#principal, thread));
  }

  /** The session that the client saw last, if it is the thread's or a fork of it. */
  async #seen(thread: SessionState): Promise<SessionState | undefined> {
    const id = this.#checked.seen;
    if (id === undefined) return undefined;
    const seen = id === thread.id ? thread : await this.#conversations.find(id);
    if (!seen || seen.status === "deleted") return undefined;
    return (await isInFamily(this.#host.sessions, this.#principal, seen, thread.id)) ? seen : undefined;
  }

  async #post(sessionId: string, asking: NewMessage, key: string): Promise<ThreadRun> {
    const posted = await this.#conversations.post(sessionId, asking, key);
    return posted.run.messageId === posted.message.id
      ? { ...posted, followed: followFromNow(posted) }
      : this.#received(posted);
  }

  /** The active run received the message: the client has its events so far, and gets those from now on. */
  async #received({ state, run, message }: Asked): Promise<ThreadRun> {
    const open = [...state.approvals.values()].filter(({ runId, answer }) => runId === run.id && !answer);
    const waitsFor = open.map(({ id }) => id);
    const followed = { ...followFromNow({ state, run }), answers: message.id, waitsFor };
    const earlier = await eventsSinceStart(this.#host.sessions, this.#principal, state, run.id);
    return { state, run, followed, earlier };
  }

  /** The run that a client was disconnected from, if it asks for it again under the same run id. */
  async #cutRun(thread: SessionState): Promise<ThreadRun | undefined> {
    const newest = this.#checked.input.messages.findLast((message) => message.role === "user");
    const parsed = newest && (await unless("invalid", this.#parse(newest)));
    if (!parsed) return undefined;
    const { run } = await this.#earlierFork(thread, parsed);
    if (run) return run;
    for await (const { id, messages } of this.#family(thread))
      if (messages.some((message) => message.id === newest.id))
        return unless("conflict", this.#post(id, parsed.asking, parsed.key));
    return undefined;
  }

  /** A message that comes with the answer to a question goes to the run. */
  async #steer(resumed: ThreadRun, { asking, key }: ParsedRunInput): Promise<ThreadRun> {
    const { state, followed, run } = resumed;
    const first = state.messages.find(({ id }) => id === run?.messageId);
    // The message that the run began with is not new to it, whatever a client calls it.
    if (first?.id === asking.id || first?.content === asking.content) return resumed;
    const posted = await unless("conflict", this.#post(state.id, asking, key));
    if (!posted || !followed) return resumed;
    return { ...resumed, state: posted.state, followed: { ...followed, answers: asking.id } };
  }

  /** The id of the fork that this request makes, if it makes one, and the fork's run where it has made it before. */
  async #earlierFork(
    thread: SessionState,
    { key }: ParsedRunInput,
  ): Promise<{ readonly forkId: string; readonly run?: ThreadRun }> {
    const { sessions } = this.#host;
    const forkId = commandIds(this.#principal, `agui:${thread.id}`, { key }).id("ses");
    const fork = await this.#conversations.find(forkId);
    if (!fork || fork.status === "deleted") return { forkId };
    const [run] = fork.runs.values();
    if (!run) throw new Error(`Fork ${forkId} was made for a run and has none`);
    const followed = await followFromStart(sessions, this.#principal, fork, run.id);
    const state = await sessions.stateAt(this.#principal, forkId, followed.after);
    return { forkId, run: { state, run, followed } };
  }

  /** Streams the run from its start, or, where none is under way, the history. */
  async #attach(state: SessionState, run: Run | undefined): Promise<ThreadRun> {
    if (!run) return { state };
    return {
      state,
      run,
      followed: await followFromStart(this.#host.sessions, this.#principal, state, run.id),
    };
  }
}

function matchIn(
  state: SessionState,
  newest: ThreadMessage,
  // `isBack`: the client was in the thread before, so that what it does not have, it has left out.
  { history, isBack }: { readonly history: readonly ThreadMessage[]; readonly isBack: boolean },
): TranscriptMatch<ThreadMessage> {
  const { place, left } = matchByIdOrContent(state, history);
  const message = state.messages.find(({ id }) => id === newest.id);
  const known = message && { message, isUnchanged: message.content === newest.content };
  // The client may lack the end of an answer, but not a later message of its user's.
  const active = activeRun(state)?.id;
  const goesOn = state.messages
    .slice(place)
    // Messages that others sent to the active run show in its answer.
    .some(({ role, runId }) => role === "user" && (runId === undefined || runId !== active));
  // A client without a history does not contradict the record: it is sent the record.
  const isNew = !isBack && history.every(({ role }) => role === "assistant");
  return { place, left, known, isAtEnd: !goesOn || isNew };
}

function forked({ state, run }: ResolvedRun): ThreadRun {
  return { state, run, followed: followFromNow({ state, run }) };
}
