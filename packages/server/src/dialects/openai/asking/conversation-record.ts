import { IndexConflictError } from "@parley/journal";
import {
  CommandRefusedError,
  type Principal,
  type Run,
  type SessionMessage,
  type SessionState,
  titleOf,
  toldMessages,
} from "@parley/sessions";
import { SUPERVISOR } from "@parley/supervisor";
import type { Api } from "../../../api/api-options.ts";
import type { CommandIds } from "../../../api/command-ids.ts";
import { Conversations } from "../../../api/conversations.ts";
import { Problem } from "../../../api/problem.ts";
import { withoutQuestions } from "./answered-questions.ts";
import { contentFor, runOf } from "./asked-again.ts";
import type { Answering, Request } from "./asking.ts";
import { hasFilesOf } from "./matched-history.ts";
import type { Said } from "./said.ts";

/** Somebody else has changed the session meanwhile: what a request means there has to be decided anew. */
export class SessionGoneOnError extends Error {
  override readonly name = "SessionGoneOnError";
}

/** What requests come to in the record, once it is decided what they mean. */
export class ConversationRecord {
  readonly #api: Api;
  readonly #conversations: Conversations;

  constructor(api: Api) {
    this.#api = api;
    this.#conversations = new Conversations(api);
  }

  /** Said in a session; `after`: only if it has so many messages still, else `SessionGoneOnError`. */
  async post(request: Request, ids: CommandIds, state: SessionState, after?: number): Promise<Answering> {
    const { principal, telling, agent, thinking, key } = request;
    const content = contentFor(state.messages, telling.context, telling.now);
    const files = await this.#uploaded(principal, telling.now);
    const id = key === undefined ? undefined : ids.id("msg");
    const asking = { id, content, files: files?.map(({ blob }) => blob), agent, thinking, after };
    const { run, message } = await this.#conversations
      .post(principal, state.id, asking)
      .catch((error: unknown) => {
        throw error instanceof CommandRefusedError && error.code === "conflict"
          ? new SessionGoneOnError()
          : error;
      });
    return { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
  }

  /** Said after so many of a session's messages and what the client says came then, in a fork. */
  async branch(
    request: Request,
    ids: CommandIds,
    { state, place, told = [] }: { state: SessionState; place: number; told?: readonly Said[] },
  ): Promise<Answering> {
    const { principal, telling, agent, thinking, key } = request;
    const content = contentFor(state.messages.slice(0, place), telling.context, telling.now);
    const files = (await this.#uploaded(principal, telling.now))?.map(({ blob }) => blob);
    const kept = await Promise.all(told.map((each) => this.#kept(principal, each)));
    const fork = { id: forkId(request, ids) };
    const asking = { content, files, agent, thinking, told: kept, at: { messages: place }, fork };
    const asked = { content, files, agent };
    return answeringIn(await this.#conversations.branch(principal, state.id, asking, { key, asked }));
  }

  /** The message answered once more, in a fork. */
  async again(
    request: Request,
    ids: CommandIds,
    { state, message }: { state: SessionState; message: SessionMessage },
  ): Promise<Answering> {
    const { principal, telling, agent, thinking, key } = request;
    const run = runOf(state, message);
    const earlier = state.messages.slice(0, message.index);
    const isUnchanged =
      hasFilesOf(message, telling.now) &&
      contentFor(earlier, telling.context, telling.now) === message.content;
    if (!run || !isUnchanged || run.messageId !== message.id)
      return this.branch(request, ids, { state, place: message.index });
    const of = { sessionId: state.id, runId: run.id };
    const fork = { id: forkId(request, ids), agent, thinking };
    return answeringIn(await this.#conversations.retry(principal, of, fork, key));
  }

  /** A session of its own, with all that the client says was said. */
  async begin(request: Request, ids: CommandIds, chosen?: string): Promise<Answering> {
    const { principal, telling, agent } = request;
    const id = chosen ?? ids.id("ses");
    const { messages } = withoutQuestions(telling.before);
    const named = agent === SUPERVISOR ? {} : { agent };
    const [first = telling.now] = messages;
    // The first words of what the client says about all conversations would be no title.
    const title =
      telling.context === "" ? "" : titleOf({ messages: [{ ...first, id: "", index: 0, files: [] }] });
    // An agent that there is not is told of before anything is recorded.
    await this.#api.runs.newRun(principal, { id }, { agent });
    const events = [
      { type: "session_created" as const, ...principal, title, ...named },
      ...toldMessages(id, await Promise.all(messages.map((each) => this.#kept(principal, each)))),
    ];
    const { state } = await this.#api.sessions.adopt(principal, id, events).catch(async (error: unknown) => {
      if (!(error instanceof IndexConflictError)) throw error;
      // Whoever sent this at the same time has it, or somebody else, and then it is not there.
      await this.#api.sessions.row(principal, id);
      throw new SessionGoneOnError();
    });
    return this.post(request, ids, state, state.messages.length);
  }

  async #kept(principal: Principal, said: Said) {
    const { role, content } = said;
    return { role, content, files: await this.#uploaded(principal, said) };
  }

  async #uploaded(principal: Principal, { files }: Said) {
    const { limits } = this.#api;
    const large = files.find(({ content }) => content.byteLength > limits.fileBytes);
    if (large) throw new Problem("too_large", `A file may have up to ${limits.fileBytes} bytes`);
    if (files.length === 0) return undefined;
    return Promise.all(files.map((file) => this.#api.files.put(principal, file)));
  }
}

/** The first run of a session, which answers what it was made for. */
export function firstRun({ runs }: SessionState): Run {
  const [run] = runs.values();
  if (!run) throw new Error("A session that was to be answered in has no run");
  return run;
}

/** Of a fork that was made with a run. */
function answeringIn(state: SessionState): Answering {
  const { id: runId, messageId } = firstRun(state);
  return { sessionId: state.id, runId, messageId, part: 0 };
}

/** The id of a fork that a request with a key makes. */
function forkId({ key }: Request, ids: CommandIds): string | undefined {
  return key === undefined ? undefined : ids.id("ses");
}
