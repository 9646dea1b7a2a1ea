import { IndexConflictError } from "@parley/journal";
import {
  activeRun,
  CommandRefusedError,
  isEnded,
  type Principal,
  type RecordedSessionEvent,
  type Run,
  type SessionMessage,
  type SessionState,
  type ToldMessage,
  toldMessages,
} from "@parley/sessions";
import type { Api } from "../../api/api-options.ts";
import { commandIds } from "../../api/command-ids.ts";
import { type Asked, type Asking, Conversations } from "../../api/conversations.ts";
import { runTakenBy } from "../../api/forked-answer.ts";
import { Problem, problemOf } from "../../api/problem.ts";
import { type FollowedRun, followedFrom } from "../followed-run.ts";
import { namedSession } from "../named-session.ts";
import { followedAgain } from "../run-beginning.ts";
import { newestIn, saidIn } from "./client-messages.ts";
import { eventsOfRun, resumedRun } from "./resumed-run.ts";
import type { CheckedInput } from "./run-agent-input.ts";
import { keyOf, type Saying, sayingOf } from "./saying.ts";
import { family, placeIn, seenIn, threadSession } from "./thread-place.ts";
import { toldHistory } from "./told-history.ts";

/** What a request comes to: a run that is to be told, from some point on, or only what was said before. */
export interface ThreadRun {
  /** The session as it was when the run, or this part of it, began. */
  readonly state: SessionState;
  readonly run?: Run | undefined;
  readonly followed?: FollowedRun | undefined;
  /** The run's events that the client has already, or is told in one. */
  readonly earlier?: readonly RecordedSessionEvent[] | undefined;
}

/** What goes into a fork, and what the fork is to be called. */
interface Forking extends Pick<Saying, "asking" | "key"> {
  readonly fork: { readonly id: string };
}

/** What clients of AG-UI do to threads; a thread is a session, and a run that is asked for again is the same run. */
export class ThreadRuns {
  readonly #api: Api;
  readonly #conversations: Conversations;

  constructor(api: Api) {
    this.#api = api;
    this.#conversations = new Conversations(api);
  }

  /** Carries out what is asked for; undefined where there is no such thread and nothing is said in it. */
  async take(principal: Principal, checked: CheckedInput, agent?: string): Promise<ThreadRun | undefined> {
    const { sessions, files } = this.#api;
    const { messages, resume = [], runId } = checked.input;
    if (checked.isForPage) return undefined;
    const threadId = await namedSession(sessions, principal, checked.input.threadId);
    const thread = await threadSession(sessions, principal, threadId);
    if (thread?.status === "deleted")
      throw new Problem("gone", "The thread was deleted: restore it, or begin another");
    const newest = newestIn(messages);
    const saying = newest && (await sayingOf(files, principal, checked, { newest, agent }));
    if (resume.length > 0) {
      const resumed = await resumedRun(sessions, principal, { thread, resume, key: keyOf([runId]) });
      return saying ? this.#steered(principal, resumed, saying) : resumed;
    }
    if (saying)
      return this.#say(principal, thread ?? (await this.#begun(principal, threadId, saying)), saying);
    if (!thread) return undefined;
    const cut = await this.#cut(principal, thread, checked, agent);
    if (cut) return cut;
    const state = await seenIn(sessions, principal, thread, { said: saidIn(messages), seen: checked.seen });
    return this.#attach(principal, state, activeRun(state));
  }

  /** A session for the thread, with all that the client says was said before. */
  async #begun(principal: Principal, id: string, { asking, said, messages }: Saying): Promise<SessionState> {
    const { sessions, files, runs } = this.#api;
    const { agent } = asking;
    const told = await toldHistory(files, principal, {
      ...{ told: said.slice(0, -1), messages, taken: [asking.id] },
    });
    if (told.length === 0) return this.#conversations.create(principal, { id, agent });
    // An agent that there is not is told of before anything is recorded.
    await runs.newRun(principal, { id }, { agent });
    const created = { type: "session_created", ...principal, title: "", ...(agent && { agent }) } as const;
    try {
      return (await sessions.adopt(principal, id, [created, ...toldMessages(id, told)])).state;
    } catch (error) {
      if (!(error instanceof IndexConflictError)) throw error;
      // Somebody has it: whoever sent this at the same time, or somebody else, whose it then is.
      const state = await threadSession(sessions, principal, id);
      if (state) return state;
      throw new CommandRefusedError("conflict", `There is a session ${id} already`);
    }
  }

  async #say(principal: Principal, thread: SessionState, saying: Saying): Promise<ThreadRun> {
    const { sessions, files } = this.#api;
    const { asking, messages, key } = saying;
    const fork = forkOf(principal, thread, saying);
    const made = await threadSession(sessions, principal, fork.id);
    if (made && made.status !== "deleted") return this.#toldAgain(principal, made);
    const place = await placeIn(sessions, principal, thread, saying);
    const { state } = place;
    switch (place.kind) {
      case "next":
        return this.#post(principal, state.id, asking, key);
      case "known":
        return this.#again(principal, place, { asking, fork, key });
      case "fork": {
        const taken = state.messages.slice(0, place.messages).map(({ id }) => id);
        const told = await toldHistory(files, principal, {
          ...{ told: place.told, messages, known: state.messages, taken: [...taken, asking.id] },
        });
        return this.#branched(principal, place, { asking, fork, key, told });
      }
    }
  }

  async #branched(
    principal: Principal,
    { state, messages }: { readonly state: SessionState; readonly messages: number },
    { asking, fork, key, told }: Forking & { readonly told?: readonly ToldMessage[] },
  ): Promise<ThreadRun> {
    const branch = { ...asking, at: { messages }, fork, told };
    return forked(await this.#conversations.branch(principal, state.id, branch, { key, asked: branch }));
  }

  async #post(principal: Principal, sessionId: string, asking: Asking, key: string): Promise<ThreadRun> {
    const asked = await this.#conversations.post(principal, sessionId, asking, key);
    return asked.run.messageId === asked.message.id
      ? { ...asked, followed: followedFrom(asked) }
      : this.#told(principal, asked);
  }

  /** The run under way hears of the message: the client has all that it said before, and what it says from now on. */
  async #told(principal: Principal, { state, run, message }: Asked): Promise<ThreadRun> {
    const waitsFor = [...state.approvals.values()].filter(({ runId, answer }) => runId === run.id && !answer);
    const followed = {
      ...{ ...followedFrom({ state, run }), answers: message.id },
      waitsFor: waitsFor.map(({ id }) => id),
    };
    const earlier = await eventsOfRun(this.#api.sessions, principal, state, run.id);
    return { state, run, followed, earlier };
  }

  /** The same request again leads to the same run; another one that ends with this message wants another answer to it. */
  async #again(
    principal: Principal,
    { state, message }: { readonly state: SessionState; readonly message: SessionMessage },
    { asking, fork, key }: Forking,
  ): Promise<ThreadRun> {
    const posted = await unless("conflict", this.#post(principal, state.id, asking, key));
    if (posted) return posted;
    const run = runTakenBy(state, message);
    if (run && !isEnded(run)) return this.#attach(principal, state, run);
    // A run that had begun with another message did not answer this one alone; and the best for a skill is found anew.
    if (run?.messageId !== message.id || asking.skill !== undefined)
      return this.#branched(principal, { state, messages: message.index }, { asking, fork, key });
    const { agent, thinking } = asking;
    const retried = { sessionId: state.id, runId: run.id };
    return forked(await this.#conversations.retry(principal, retried, { ...fork, agent, thinking }, key));
  }

  /** The run from which a client was cut, if it asks for it under the id from before, with what it has of the answer. */
  async #cut(
    principal: Principal,
    thread: SessionState,
    checked: CheckedInput,
    agent?: string,
  ): Promise<ThreadRun | undefined> {
    const { sessions, files } = this.#api;
    const newest = checked.input.messages.findLast((message) => message.role === "user");
    if (!newest) return undefined;
    const asked = await unless("invalid", sayingOf(files, principal, checked, { newest, agent }));
    if (!asked) return undefined;
    const made = await threadSession(sessions, principal, forkOf(principal, thread, asked).id);
    if (made && made.status !== "deleted") return this.#toldAgain(principal, made);
    for await (const { id, messages } of family(sessions, principal, thread))
      if (messages.some((message) => message.id === newest.id))
        return unless("conflict", this.#post(principal, id, asked.asking, asked.key));
    return undefined;
  }

  /** What is said together with the answer to a question, the run is told. */
  async #steered(principal: Principal, resumed: ThreadRun, { asking, key }: Saying): Promise<ThreadRun> {
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
    const { sessions } = this.#api;
    const [run] = made.runs.values();
    if (!run) throw new Error("A fork that was asked something has no run");
    const followed = await followedAgain(sessions, principal, made, run.id);
    return { state: await sessions.stateAt(principal, made.id, followed.after), run, followed };
  }

  /** From the run's first word on, or, where none is under way, what was said. */
  async #attach(principal: Principal, state: SessionState, run: Run | undefined): Promise<ThreadRun> {
    if (!run) return { state };
    return { state, run, followed: await followedAgain(this.#api.sessions, principal, state, run.id) };
  }
}

/** The fork that this request makes, if it makes one. */
function forkOf(principal: Principal, thread: SessionState, { key }: Saying): { readonly id: string } {
  return { id: commandIds(principal, `agui:${thread.id}`, { header: key }).id("ses") };
}

/** What is asked for, unless it is refused for this reason. */
async function unless<Asked>(
  code: "conflict" | "invalid",
  asked: Promise<Asked>,
): Promise<Asked | undefined> {
  try {
    return await asked;
  } catch (error) {
    // A key that was used for something else is a conflict to the record.
    const refused = error instanceof CommandRefusedError ? error.code : problemOf(error)?.code;
    if (refused === code) return undefined;
    throw error;
  }
}

function forked(child: SessionState): ThreadRun {
  const run = [...child.runs.values()].at(-1);
  return run ? { state: child, run, followed: followedFrom({ state: child, run }) } : { state: child };
}
