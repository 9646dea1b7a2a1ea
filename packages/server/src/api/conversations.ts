import type { ForkPoint, Principal, Run, SessionMessage, SessionState, ToldMessage } from "@parley/sessions";
import type { Api } from "./api-options.ts";
import type { RunChoice } from "./api-ports.ts";
import { commandIds, keyed } from "./command-ids.ts";
import { storedFiles } from "./files/stored-files.ts";
import { onlyOne, runTakenBy } from "./forked-answer.ts";
import { Problem } from "./problem.ts";
import { openSession } from "./session-reading.ts";

/** What a person says, to whom, and whether what the agent thinks is kept. */
export interface Asking extends RunChoice {
  /** The message's id, where the client chose it. */
  readonly id?: string | undefined;
  readonly content: string;
  /** The ids of files that are the principal's. */
  readonly files?: readonly string[] | undefined;
  readonly thinking?: boolean | undefined;
}

/** What a session begins with. */
export interface NewSession {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly agent?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** What a fork is to be called. */
export interface NewFork {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
}

/** A message that was taken, and the run that it went to, as they were just then. */
export interface Asked {
  readonly state: SessionState;
  readonly message: SessionMessage;
  readonly run: Run;
}

/**
 * What people do in sessions, whichever door they come through. A command with a key is carried out once, however often
 * it comes, and leads to the same ids each time.
 */
export class Conversations {
  readonly #api: Pick<Api, "sessions" | "runs" | "files">;

  constructor(api: Pick<Api, "sessions" | "runs" | "files">) {
    this.#api = api;
  }

  /** Makes a session; an agent that there is not is told of now, not at the first message. */
  async create(principal: Principal, session: NewSession, key?: string): Promise<SessionState> {
    const { sessions, runs } = this.#api;
    const { id: chosen, ...settings } = session;
    const ids = commandIds(principal, "create", { header: key, chosen });
    const id = chosen ?? ids.id("ses");
    const create = async () => {
      if (settings.agent !== undefined) await runs.newRun(principal, { id }, { agent: settings.agent });
      return { type: "create", ...principal, ...settings } as const;
    };
    const { state } = await sessions.execute(principal, id, create, keyed(ids, { chosen, ...settings }));
    return state;
  }

  /** Says something in a session: a run answers it, or the one under way is told of it; `after`: only after so many messages. */
  async post(
    principal: Principal,
    sessionId: string,
    { after, ...asking }: Asking & { readonly after?: number | undefined },
    key?: string,
  ): Promise<Asked> {
    const { sessions } = this.#api;
    const ids = commandIds(principal, `message:${sessionId}`, { header: key, chosen: asking.id });
    const messageId = asking.id ?? ids.id("msg");
    const post = async () => {
      const session = await openSession(sessions, principal, sessionId);
      const asked = await this.#asked(principal, session, asking, messageId);
      return { type: "postMessage", ...asked, after } as const;
    };
    const { state } = await sessions.execute(principal, sessionId, post, keyed(ids, asking));
    const message = state.messages.find((each) => each.id === messageId);
    if (!message || message.content !== asking.content)
      throw new Problem("key_reused", "This key or id was used for another message: choose a new one");
    const run = runTakenBy(state, message);
    if (!run) throw new Problem("conflict", "The message has no run");
    return { state, message, run };
  }

  /** Says something else from a point of a session on, in a fork; it is the fork that is returned. */
  async branch(
    principal: Principal,
    sessionId: string,
    asking: Asking & {
      readonly at: ForkPoint;
      readonly fork: NewFork;
      /** What the client says was said from there on. */
      readonly told?: readonly ToldMessage[] | undefined;
    },
    { key, asked }: { readonly key?: string | undefined; readonly asked: unknown },
  ): Promise<SessionState> {
    const { sessions } = this.#api;
    const { at, fork, told } = asking;
    const ids = commandIds(principal, `branch:${sessionId}`, { header: key, chosen: fork.id });
    const branch = async () => {
      const session = await openSession(sessions, principal, sessionId);
      const childId = fork.id ?? ids.id("ses");
      const messageId = asking.id ?? ids.id("msg");
      const ask = await this.#asked(principal, { ...session, id: childId }, asking, messageId);
      return { type: "fork", at, fork: { childId, title: fork.title }, told, ask } as const;
    };
    const { children } = await sessions.execute(principal, sessionId, branch, keyed(ids, asked));
    return onlyOne(children);
  }

  /** Runs again on the same snapshot, in a fork; it is the fork that is returned. */
  async retry(
    principal: Principal,
    { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
    retry: NewFork & { readonly agent?: string | undefined; readonly thinking?: boolean | undefined },
    key?: string,
  ): Promise<SessionState> {
    const { sessions, runs } = this.#api;
    const ids = commandIds(principal, `retry:${sessionId}:${runId}`, { header: key, chosen: retry.id });
    const command = async () => {
      const session = await openSession(sessions, principal, sessionId);
      const agent = retry.agent ?? session.runs.get(runId)?.agent;
      const run = { ...(await runs.newRun(principal, session, { agent })), thinking: retry.thinking };
      const fork = { childId: retry.id ?? ids.id("ses"), title: retry.title };
      return { type: "retry", runId, fork, run } as const;
    };
    const { children } = await sessions.execute(principal, sessionId, command, keyed(ids, retry));
    return onlyOne(children);
  }

  async #asked(
    principal: Principal,
    session: Pick<SessionState, "id" | "agent">,
    { content, files, agent, skill, thinking }: Asking,
    messageId: string,
  ) {
    const attached = await storedFiles(this.#api.files, principal, files);
    const run = { ...(await this.#api.runs.newRun(principal, session, { agent, skill })), thinking };
    return { messageId, content, files: attached, run };
  }
}
