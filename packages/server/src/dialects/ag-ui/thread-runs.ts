import { createHash } from "node:crypto";
import type { Message, ResumeEntry } from "@ag-ui/core";
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
import { commandIds, keyed } from "../../api/command-ids.ts";
import { type Asked, type Asking, Conversations } from "../../api/conversations.ts";
import { runTakenBy } from "../../api/forked-answer.ts";
import { invalid, Problem } from "../../api/problem.ts";
import { type FollowedRun, followedFrom } from "../followed-run.ts";
import { namedSession } from "../named-session.ts";
import { eventsSinceBeginning, followedAgain } from "../run-beginning.ts";
import { newestIn, type SaidMessage, saidIn } from "./client-messages.ts";
import { answerIn } from "./interrupts.ts";
import { keptFiles } from "./message-files.ts";
import { type CheckedInput, partsOf } from "./run-agent-input.ts";
import { askedIn, placeIn, threadSession } from "./thread-place.ts";
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

/** What a client says, with all that it says was said before. */
interface Saying {
  readonly asking: Asking & { readonly id: string };
  readonly messages: readonly Message[];
  readonly said: readonly SaidMessage[];
  /** The session in which the client heard something last. */
  readonly seen: string | undefined;
  readonly key: string;
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
    const { sessions } = this.#api;
    const { runId, messages, resume = [] } = checked.input;
    if (checked.isForPage) return undefined;
    const threadId = await namedSession(sessions, principal, checked.input.threadId);
    const thread = await threadSession(sessions, principal, threadId);
    if (thread?.status === "deleted")
      throw new Problem("gone", "The thread was deleted: restore it, or begin another");
    const newest = newestIn(messages);
    const saying = newest && {
      ...{ asking: await this.#asking(principal, checked, newest, agent), messages },
      ...{ said: saidIn(messages), seen: checked.seen, key: keyOf([runId, newest.id]) },
    };
    if (resume.length > 0) return this.#resume(principal, thread, { resume, key: keyOf([runId]), saying });
    if (!saying) return thread && this.#attach(principal, thread, activeRun(thread));
    return this.#say(principal, thread ?? (await this.#begun(principal, threadId, saying)), saying);
  }

  async #asking(
    principal: Principal,
    { input, wishes }: CheckedInput,
    newest: NonNullable<ReturnType<typeof newestIn>>,
    agent: string | undefined,
  ): Promise<Asking & { readonly id: string }> {
    const { text, files } = partsOf(newest, `messages.${input.messages.indexOf(newest)}`);
    const kept = await keptFiles(this.#api.files, principal, files);
    return { id: newest.id, content: text, files: kept, agent, ...wishes };
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
    const fork = { id: commandIds(principal, `agui:${thread.id}`, { header: key }).id("ses") };
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
    const earlier = await this.#sinceBeginning(principal, state, run.id);
    return { state, run, followed, earlier };
  }

  /** The same request again leads to the same run; another one that ends with this message wants another answer to it. */
  async #again(
    principal: Principal,
    { state, message }: { readonly state: SessionState; readonly message: SessionMessage },
    { asking, fork, key }: Forking,
  ): Promise<ThreadRun> {
    try {
      return await this.#post(principal, state.id, asking, key);
    } catch (error) {
      if (!(error instanceof CommandRefusedError) || error.code !== "conflict") throw error;
    }
    const run = runTakenBy(state, message);
    if (run && !isEnded(run)) return this.#attach(principal, state, run);
    // What was told to a run that had begun with another message, that run did not answer alone.
    if (run?.messageId !== message.id)
      return this.#branched(principal, { state, messages: message.index }, { asking, fork, key });
    const { agent, thinking } = asking;
    const retried = { sessionId: state.id, runId: run.id };
    return forked(await this.#conversations.retry(principal, retried, { ...fork, agent, thinking }, key));
  }

  /** The run of a fork that this request has made before. */
  async #toldAgain(principal: Principal, { id }: Pick<SessionState, "id">): Promise<ThreadRun> {
    const { sessions } = this.#api;
    const [run] = (await sessions.state(principal, id)).runs.values();
    if (!run) throw new Error("A fork that was asked something has no run");
    const followed = await followedAgain(sessions, principal, await sessions.state(principal, id), run.id);
    return { state: await sessions.stateAt(principal, id, followed.after), run, followed };
  }

  /** From the run's first word on, or, where none is under way, what was said. */
  async #attach(principal: Principal, state: SessionState, run: Run | undefined): Promise<ThreadRun> {
    if (!run) return { state };
    return { state, run, followed: await followedAgain(this.#api.sessions, principal, state, run.id) };
  }

  async #sinceBeginning(
    principal: Principal,
    state: SessionState,
    runId: string,
  ): Promise<readonly RecordedSessionEvent[]> {
    const events: RecordedSessionEvent[] = [];
    const pages = eventsSinceBeginning(this.#api.sessions, principal, state, runId);
    for await (const page of pages) events.push(...page);
    return events;
  }

  /** Answers what the run before ended with, and goes on right behind that; what is said with it, the run is told. */
  async #resume(
    principal: Principal,
    thread: SessionState | undefined,
    {
      resume,
      key,
      saying,
    }: {
      readonly resume: readonly ResumeEntry[];
      readonly key: string;
      readonly saying?: Saying | undefined;
    },
  ): Promise<ThreadRun> {
    const { sessions } = this.#api;
    const asked = thread && (await askedIn(sessions, principal, thread, resume[0]?.interruptId ?? ""));
    const answers = resume.map((entry, at) => {
      const place = `resume.${at}`;
      const approval = asked?.approvals.get(entry.interruptId);
      if (!approval) throw invalid(`${place}.interruptId`, "nothing of this name was asked in this thread");
      return { approval, command: answerIn(entry, approval, place) };
    });
    const runId = answers[0]?.approval.runId ?? "";
    const run = asked?.runs.get(runId);
    if (!asked || !run || answers.some(({ approval }) => approval.runId !== runId))
      throw invalid("resume", "must answer what one run asked");
    const events = await this.#sinceBeginning(principal, asked, runId);
    const ids = new Set(resume.map(({ interruptId }) => interruptId));
    const boundary = events.findIndex(
      ({ event }) => event.type === "approval_requested" && ids.has(event.approvalId),
    );
    const earlier = events.slice(0, boundary + 1);
    const open = earlier.find(({ event }) => isLeftOpen(asked, event, ids));
    if (open) throw invalid("resume", "must answer all that the run before ended with");
    let state = asked;
    for (const { command } of answers) state = await this.#answer(principal, state, command, key);
    const followed = { sessionId: state.id, runId, after: earlier.at(-1)?.index ?? state.index };
    if (!saying || isSaidIn(asked, saying)) return { state, run, followed, earlier };
    const { asking } = saying;
    const said = await this.#conversations.post(principal, state.id, asking, saying.key);
    return { state: said.state, run, followed: { ...followed, answers: asking.id }, earlier };
  }

  /** What somebody else has answered meanwhile stays answered: the stream tells how. */
  async #answer(
    principal: Principal,
    state: SessionState,
    command: ReturnType<typeof answerIn>,
    key: string,
  ): Promise<SessionState> {
    const { type: _, approvalId, ...body } = command;
    const ids = commandIds(principal, `answer:${approvalId}`, { header: key });
    try {
      return (
        await this.#api.sessions.execute(principal, state.id, command, keyed(ids, { id: state.id, ...body }))
      ).state;
    } catch (error) {
      if (error instanceof CommandRefusedError && error.code === "conflict") return state;
      throw error;
    }
  }
}

/** Whether the last of the client's messages is not new to the session. */
function isSaidIn({ messages }: SessionState, { asking: { id, content } }: Saying): boolean {
  const last = messages.findLast(({ role }) => role === "user");
  return last?.content === content || messages.some((message) => message.id === id);
}

/** As short as a key must be, whatever a client's ids are. */
function keyOf(ids: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(ids)).digest("base64url");
}

function forked(child: SessionState): ThreadRun {
  const run = [...child.runs.values()].at(-1);
  return run ? { state: child, run, followed: followedFrom({ state: child, run }) } : { state: child };
}

function isLeftOpen(
  { approvals, runs }: SessionState,
  event: RecordedSessionEvent["event"],
  ids: ReadonlySet<string>,
): boolean {
  if (event.type !== "approval_requested" || ids.has(event.approvalId)) return false;
  const run = runs.get(event.runId);
  return !approvals.get(event.approvalId)?.answer && run !== undefined && !isEnded(run);
}
