import type { ForkPoint, Principal, Run, SessionMessage, SessionState, ToldMessage } from "@parley/sessions";
import type { AdapterHost, RunChoice } from "../adapter-host.ts";
import { Problem } from "../problem.ts";
import { commandIds, keyed } from "./command-ids.ts";
import { onlyOne, openSession, runTakenBy } from "./session-reading.ts";
import { storedFiles } from "./stored-files.ts";

/** A user's message, and the agent that it is for. */
export interface NewMessage extends RunChoice {
  /** The message's id, where the client chose it. */
  readonly id?: string | undefined;
  readonly content: string;
  readonly files?: readonly string[] | undefined;
  readonly thinking?: boolean | undefined;
}

/** The settings of a new session. */
export interface NewSession {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly agent?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** The id and title of a new fork. */
export type NewFork = Pick<NewSession, "id" | "title">;

/** A posted message and the run that took it. */
export interface Asked {
  readonly state: SessionState;
  readonly message: SessionMessage;
  readonly run: Run;
}

/** Carries out users' commands, whatever the protocol. A command with a key is carried out once, and leads to the same ids each time. */
export class Conversations {
  readonly #host: Pick<AdapterHost, "sessions" | "runs" | "files">;

  constructor(host: Pick<AdapterHost, "sessions" | "runs" | "files">) {
    this.#host = host;
  }

  /** Creates a session; an unknown agent is refused now, not at the first message. */
  async create(principal: Principal, session: NewSession, key?: string): Promise<SessionState> {
    const { sessions, runs } = this.#host;
    const { id: chosen, ...settings } = session;
    const ids = commandIds(principal, "create", { key, chosen });
    const id = chosen ?? ids.id("ses");
    const create = async () => {
      if (settings.agent !== undefined) await runs.newRun(principal, { id }, { agent: settings.agent });
      return { type: "create", ...principal, ...settings } as const;
    };
    const { state } = await sessions.execute(principal, id, create, keyed(ids, { chosen, ...settings }));
    return state;
  }

  /** Posts a message: a new run answers it, or the run under way receives it; `after`: only if the session still has so many messages. */
  async post(
    principal: Principal,
    sessionId: string,
    { after, ...asking }: NewMessage & { readonly after?: number | undefined },
    key?: string,
  ): Promise<Asked> {
    const { sessions } = this.#host;
    const ids = commandIds(principal, `message:${sessionId}`, { key, chosen: asking.id });
    const messageId = asking.id ?? ids.id("msg");
    const post = async () => {
      const session = await openSession(sessions, principal, sessionId);
      const asked = await this.asked(principal, session, asking, messageId);
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

  /** Posts a message in a fork from some point of a session on; returns the fork. */
  async branch(
    principal: Principal,
    sessionId: string,
    asking: NewMessage & {
      readonly at: ForkPoint;
      readonly fork: NewFork;
      /** The client's own history from there on. */
      readonly told?: readonly ToldMessage[] | undefined;
    },
    { key, asked }: { readonly key?: string | undefined; readonly asked: unknown },
  ): Promise<SessionState> {
    const { sessions } = this.#host;
    const { at, fork, told } = asking;
    const ids = commandIds(principal, `branch:${sessionId}`, { key, chosen: fork.id });
    const branch = async () => {
      const session = await openSession(sessions, principal, sessionId);
      const childId = fork.id ?? ids.id("ses");
      const messageId = asking.id ?? ids.id("msg");
      const ask = await this.asked(principal, { ...session, id: childId }, asking, messageId);
      return { type: "fork", at, fork: { childId, title: fork.title }, told, ask } as const;
    };
    const { children } = await sessions.execute(principal, sessionId, branch, keyed(ids, asked));
    return onlyOne(children);
  }

  /** Runs again on the same snapshot, in a fork; returns the fork. */
  async retry(
    principal: Principal,
    { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
    retry: NewFork & { readonly agent?: string | undefined; readonly thinking?: boolean | undefined },
    key?: string,
  ): Promise<SessionState> {
    const { sessions, runs } = this.#host;
    const ids = commandIds(principal, `retry:${sessionId}:${runId}`, { key, chosen: retry.id });
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

  /** A message with its own run, as the record's commands have it. */
  async asked(
    principal: Principal,
    session: Pick<SessionState, "id" | "agent">,
    { content, files, agent, skill, thinking }: NewMessage,
    messageId: string,
  ) {
    const attached = await storedFiles(this.#host.files, principal, files);
    const run = { ...(await this.#host.runs.newRun(principal, session, { agent, skill })), thinking };
    return { messageId, content, files: attached, run };
  }
}
