import type { ResumeEntry, RunAgentInput } from "@ag-ui/core";
import {
  activeRun,
  CommandRefusedError,
  isEnded,
  type Principal,
  type RecordedSessionEvent,
  type Run,
  type SessionMessage,
  type SessionState,
} from "@parley/sessions";
import type { Api } from "../../api/api-options.ts";
import { commandIds, keyed } from "../../api/command-ids.ts";
import { type Asked, type Asking, Conversations } from "../../api/conversations.ts";
import { runTakenBy } from "../../api/forked-answer.ts";
import { invalid, Problem } from "../../api/problem.ts";
import { type FollowedRun, followedFrom } from "../followed-run.ts";
import { eventsSinceBeginning, followedAgain } from "../run-beginning.ts";
import { newestIn } from "./client-messages.ts";
import { answerIn } from "./interrupts.ts";
import { keptFiles } from "./message-files.ts";
import { type CheckedInput, partsOf } from "./run-agent-input.ts";
import { askedIn, placeIn, threadSession } from "./thread-place.ts";

/** What a request comes to: a run that is to be told, from some point on, or only what was said before. */
export interface ThreadRun {
  /** The session as it was when the run, or this part of it, began. */
  readonly state: SessionState;
  readonly run?: Run | undefined;
  readonly followed?: FollowedRun | undefined;
  /** The run's events that the client has already, or is told in one. */
  readonly earlier?: readonly RecordedSessionEvent[] | undefined;
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
    const { threadId, runId, messages, resume = [] } = checked.input;
    const thread = await threadSession(this.#api.sessions, principal, threadId);
    if (thread?.status === "deleted")
      throw new Problem("gone", "The thread was deleted: restore it, or begin another");
    if (resume.length > 0) return this.#resume(principal, thread, checked.input, resume);
    const newest = newestIn(messages);
    if (!newest) return thread && this.#attach(principal, thread, activeRun(thread));
    const { text, files } = partsOf(newest, `messages.${messages.indexOf(newest)}`);
    const { skill, thinking } = checked.wishes;
    const asking: Asking = {
      ...{ id: newest.id, content: text, files: await keptFiles(this.#api.files, principal, files) },
      ...{ agent, skill, thinking },
    };
    if (!thread) {
      await this.#conversations.create(principal, { id: threadId, agent });
      return this.#post(principal, threadId, asking, runId);
    }
    const place = await placeIn(this.#api.sessions, principal, thread, messages);
    const { state } = place;
    switch (place.kind) {
      case "next":
        return this.#post(principal, state.id, asking, runId);
      case "fork": {
        const at = { ...asking, at: place.at, fork: {} };
        return forked(await this.#conversations.branch(principal, state.id, at, { key: runId, asked: at }));
      }
      case "known":
        return this.#again(principal, place, asking, runId);
    }
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
    asking: Asking,
    key: string,
  ): Promise<ThreadRun> {
    try {
      return await this.#post(principal, state.id, asking, key);
    } catch (error) {
      if (!(error instanceof CommandRefusedError) || error.code !== "conflict") throw error;
    }
    const run = runTakenBy(state, message);
    if (run && !isEnded(run)) return this.#attach(principal, state, run);
    // The message may be a fork's beginning, whose run is another session's.
    if (!run) throw new Problem("conflict", "This message has no answer that could be given again");
    const retry = { agent: asking.agent };
    return forked(
      await this.#conversations.retry(principal, { sessionId: state.id, runId: run.id }, retry, key),
    );
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

  /** Answers what the run before ended with, and goes on right behind that. */
  async #resume(
    principal: Principal,
    thread: SessionState | undefined,
    { runId: key }: RunAgentInput,
    resume: readonly ResumeEntry[],
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
    const after = earlier.at(-1)?.index ?? state.index;
    return { state, run, followed: { sessionId: state.id, runId, after }, earlier };
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
