import {
  activeRun,
  isEnded,
  type Principal,
  type RecordedSessionEvent,
  type Run,
  type SessionMessage,
  type SessionState,
} from "@parley/sessions";
import type { AdapterHost } from "../adapter-host.ts";
import { commandIds } from "../conversations/command-ids.ts";
import {
  ConversationResolver,
  type MessageCommand,
  type ResolvedRun,
} from "../conversations/conversation-resolver.ts";
import { type Asked, Conversations, type NewMessage } from "../conversations/conversations.ts";
import { namedSession } from "../conversations/named-session.ts";
import { familyOf } from "../conversations/session-family.ts";
import { type FollowedRun, followFromNow, followFromStart } from "../followed-run.ts";
import { Problem, unless } from "../problem.ts";
import { keyOf, type ParsedRunInput, parseRunInput, toldHistory } from "./parsing/parse-run-input.ts";
import type { CheckedInput } from "./parsing/run-agent-input.ts";
import { newestIn, threadMessages } from "./parsing/thread-messages.ts";
import { resolveInThread, seenIn } from "./resolve-in-thread.ts";
import { resumedEvents, resumedRun } from "./resumed-run.ts";

/** What a request leads to: a run to stream, from some point on, or only the history. */
export interface ThreadRun {
  /** The session as it was when the run, or this part of it, began. */
  readonly state: SessionState;
  readonly run?: Run | undefined;
  readonly followed?: FollowedRun | undefined;
  /** The run's events that the client has already, or gets as a snapshot. */
  readonly earlier?: readonly RecordedSessionEvent[] | undefined;
}

/** What clients of AG-UI do to threads; a thread is a session, and a run that is asked for again is the same run. */
export class ThreadRuns {
  readonly #host: AdapterHost;
  readonly #conversations: Conversations;
  readonly #resolver: ConversationResolver;

  constructor(host: AdapterHost) {
    this.#host = host;
    this.#conversations = new Conversations(host);
    this.#resolver = new ConversationResolver(host);
  }

  /** Carries out a request; undefined where the thread does not exist and the request has no new message. */
  async take(principal: Principal, checked: CheckedInput, agent?: string): Promise<ThreadRun | undefined> {
    const { sessions, files } = this.#host;
    const { messages, resume = [], runId } = checked.input;
    if (checked.isForPage) return undefined;
    const threadId = await namedSession(sessions, principal, checked.input.threadId);
    const thread = await unless("not_found", sessions.state(principal, threadId));
    if (thread?.status === "deleted")
      throw new Problem("gone", "The thread was deleted: restore it, or begin another");
    const newest = newestIn(messages);
    const saying = newest && (await parseRunInput(files, principal, checked, { newest, agent }));
    if (resume.length > 0) {
      const resumed = await resumedRun(sessions, principal, { thread, resume, key: keyOf([runId]) });
      return saying ? this.#steered(principal, resumed, saying) : resumed;
    }
    if (saying)
      return this.#say(principal, thread ?? (await this.#begun(principal, threadId, saying)), saying);
    if (!thread) return undefined;
    const cut = await this.#cut(principal, thread, checked, agent);
    if (cut) return cut;
    const state = await seenIn(sessions, principal, thread, {
      said: threadMessages(messages),
      seen: checked.seen,
    });
    return this.#attach(principal, state, activeRun(state));
  }

  /** Creates the thread's session with the client's history. */
  async #begun(
    principal: Principal,
    id: string,
    { asking, said, messages }: ParsedRunInput,
  ): Promise<SessionState> {
    const { files } = this.#host;
    const { agent } = asking;
    const told = await toldHistory(files, principal, {
      ...{ told: said.slice(0, -1), messages, taken: [asking.id] },
    });
    if (told.length === 0) return this.#conversations.create(principal, { id, agent });
    return (await this.#resolver.begin(principal, { id, agent, told })).state;
  }

  async #say(principal: Principal, thread: SessionState, saying: ParsedRunInput): Promise<ThreadRun> {
    const { sessions, files } = this.#host;
    const { asking, messages, key } = saying;
    const forkId = forkIdOf(principal, thread, saying);
    const made = await unless("not_found", sessions.state(principal, forkId));
    if (made && made.status !== "deleted") return this.#toldAgain(principal, made);
    const place = await resolveInThread(sessions, principal, thread, saying);
    const { state } = place;
    switch (place.kind) {
      case "continue":
        return this.#post(principal, state.id, asking, key);
      case "known":
        return this.#again(principal, place, { asking, forkId, key });
      case "fork": {
        const taken = state.messages.slice(0, place.place).map(({ id }) => id);
        const told = await toldHistory(files, principal, {
          ...{ told: place.told, messages, known: state.messages, taken: [...taken, asking.id] },
        });
        return forked(await this.#resolver.fork(principal, { ...place, told }, { asking, forkId, key }));
      }
    }
  }

  async #post(principal: Principal, sessionId: string, asking: NewMessage, key: string): Promise<ThreadRun> {
    const asked = await this.#conversations.post(principal, sessionId, asking, key);
    return asked.run.messageId === asked.message.id
      ? { ...asked, followed: followFromNow(asked) }
      : this.#told(principal, asked);
  }

  /** The run under way received the message: the client has its events until now, and is sent those from now on. */
  async #told(principal: Principal, { state, run, message }: Asked): Promise<ThreadRun> {
    const waitsFor = [...state.approvals.values()].filter(({ runId, answer }) => runId === run.id && !answer);
    const followed = {
      ...{ ...followFromNow({ state, run }), answers: message.id },
      waitsFor: waitsFor.map(({ id }) => id),
    };
    const earlier = await resumedEvents(this.#host.sessions, principal, state, run.id);
    return { state, run, followed, earlier };
  }

  /** The same request again leads to the same run; another one that ends with this message wants another answer to it. */
  async #again(
    principal: Principal,
    known: { readonly state: SessionState; readonly message: SessionMessage; readonly run: Run },
    command: MessageCommand & { readonly key: string },
  ): Promise<ThreadRun> {
    const { state, run } = known;
    const posted = await unless("conflict", this.#post(principal, state.id, command.asking, command.key));
    if (posted) return posted;
    if (!isEnded(run)) return this.#attach(principal, state, run);
    return forked(await this.#resolver.answerAgain(principal, known, command));
  }

  /** The run from which a client was cut, if it asks for it under the id from before, with what it has of the answer. */
  async #cut(
    principal: Principal,
    thread: SessionState,
    checked: CheckedInput,
    agent?: string,
  ): Promise<ThreadRun | undefined> {
    const { sessions, files } = this.#host;
    const newest = checked.input.messages.findLast((message) => message.role === "user");
    if (!newest) return undefined;
    const asked = await unless("invalid", parseRunInput(files, principal, checked, { newest, agent }));
    if (!asked) return undefined;
    const made = await unless("not_found", sessions.state(principal, forkIdOf(principal, thread, asked)));
    if (made && made.status !== "deleted") return this.#toldAgain(principal, made);
    for await (const { id, messages } of familyOf(sessions, principal, thread))
      if (messages.some((message) => message.id === newest.id))
        return unless("conflict", this.#post(principal, id, asked.asking, asked.key));
    return undefined;
  }

  /** A message that comes with the answer to a question goes to the run. */
  async #steered(
    principal: Principal,
    resumed: ThreadRun,
    { asking, key }: ParsedRunInput,
  ): Promise<ThreadRun> {
    const { state, followed, run } = resumed;
    const begun = state.messages.find(({ id }) => id === run?.messageId);
    // The message that the run began with is no news to it, whatever a client calls it.
    if (begun?.id === asking.id || begun?.content === asking.content) return resumed;
    const told = await unless("conflict", this.#post(principal, state.id, asking, key));
    if (!told || !followed) return resumed;
    return { ...resumed, state: told.state, followed: { ...followed, answers: asking.id } };
  }

  /** The run of a fork that this request has made before. */
  async #toldAgain(principal: Principal, made: SessionState): Promise<ThreadRun> {
    const { sessions } = this.#host;
    const [run] = made.runs.values();
    if (!run) throw new Error("A fork that was asked something has no run");
    const followed = await followFromStart(sessions, principal, made, run.id);
    return { state: await sessions.stateAt(principal, made.id, followed.after), run, followed };
  }

  /** Streams the run from its start, or, where none is under way, the history. */
  async #attach(principal: Principal, state: SessionState, run: Run | undefined): Promise<ThreadRun> {
    if (!run) return { state };
    return { state, run, followed: await followFromStart(this.#host.sessions, principal, state, run.id) };
  }
}

/** The id of the fork that this request makes, if it makes one. */
function forkIdOf(principal: Principal, thread: SessionState, { key }: ParsedRunInput): string {
  return commandIds(principal, `agui:${thread.id}`, { key }).id("ses");
}

function forked({ state, run }: ResolvedRun): ThreadRun {
  return { state, run, followed: followFromNow({ state, run }) };
}
