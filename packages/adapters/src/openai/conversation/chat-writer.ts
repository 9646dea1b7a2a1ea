import { SUPERVISOR } from "@parley/registry";
import {
  CommandRefusedError,
  essence,
  type Principal,
  type Run,
  type SessionMessage,
  type SessionState,
  titleOf,
} from "@parley/sessions";
import type { AdapterHost } from "../../adapter-host.ts";
import type { CommandIds } from "../../conversations/command-ids.ts";
import { ConversationResolver, type ResolvedRun } from "../../conversations/conversation-resolver.ts";
import { Conversations } from "../../conversations/conversations.ts";
import { Problem } from "../../problem.ts";
import { withoutQuestions } from "./answered-questions.ts";
import type { ChatCommand, RunPartRef, TranscriptMessage } from "./chat-command.ts";
import { hasFilesOf } from "./history-match.ts";
import { contentFor, runOf } from "./run-questions.ts";

/** Somebody else has changed the session meanwhile: what a request means there has to be decided anew. */
export class SessionChangedError extends Error {
  override readonly name = "SessionChangedError";
}

/** What requests come to in the record, once it is decided what they mean. */
export class ChatWriter {
  readonly #host: AdapterHost;
  readonly #conversations: Conversations;
  readonly #resolver: ConversationResolver;

  constructor(host: AdapterHost) {
    this.#host = host;
    this.#conversations = new Conversations(host);
    this.#resolver = new ConversationResolver(host);
  }

  /** Posts the message in a session; `after`: only if it still has so many messages, else `SessionChangedError`. */
  async post(
    request: ChatCommand,
    ids: CommandIds,
    state: SessionState,
    after?: number,
  ): Promise<RunPartRef> {
    const { principal, transcript, agent, thinking, key } = request;
    const content = contentFor(state.messages, transcript.context, transcript.now);
    const files = await this.#uploaded(principal, transcript.now);
    const id = key === undefined ? undefined : ids.id("msg");
    const asking = { id, content, files: files?.map(({ blob }) => blob), agent, thinking, after };
    const { run, message } = await this.#conversations
      .post(principal, state.id, asking)
      .catch((error: unknown) => {
        throw error instanceof CommandRefusedError && error.code === "conflict"
          ? new SessionChangedError()
          : error;
      });
    return { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
  }

  /** Posts the message in a fork that begins with the first `place` messages and what the client says came then. */
  async branch(
    request: ChatCommand,
    ids: CommandIds,
    { state, place, told = [] }: { state: SessionState; place: number; told?: readonly TranscriptMessage[] },
  ): Promise<RunPartRef> {
    const { principal, transcript, agent, thinking, key } = request;
    const content = contentFor(state.messages.slice(0, place), transcript.context, transcript.now);
    const files = (await this.#uploaded(principal, transcript.now))?.map(({ blob }) => blob);
    const kept = await Promise.all(told.map((each) => this.#kept(principal, each)));
    const asking = { content, files, agent, thinking };
    const command = { asking, key, forkId: forkId(request, ids), intent: { content, files, agent } };
    return answeringIn(await this.#resolver.fork(principal, { state, place, told: kept }, command));
  }

  /** The message answered once more, in a fork. */
  async again(
    request: ChatCommand,
    ids: CommandIds,
    { state, message }: { state: SessionState; message: SessionMessage },
  ): Promise<RunPartRef> {
    const { principal, transcript, agent, thinking, key } = request;
    const run = runOf(state, message);
    const earlier = state.messages.slice(0, message.index);
    const isUnchanged =
      hasFilesOf(message, transcript.now) &&
      contentFor(earlier, transcript.context, transcript.now) === message.content;
    if (!isUnchanged || run?.messageId !== message.id)
      return this.branch(request, ids, { state, place: message.index });
    const command = {
      asking: { content: message.content, agent, thinking },
      key,
      forkId: forkId(request, ids),
    };
    return answeringIn(await this.#resolver.answerAgain(principal, { state, message, run }, command));
  }

  /** Creates a session with the client's history. */
  async begin(request: ChatCommand, ids: CommandIds, chosen?: string): Promise<RunPartRef> {
    const { principal, transcript, agent } = request;
    const id = chosen ?? ids.id("ses");
    const { messages } = withoutQuestions(transcript.before);
    const [first = transcript.now] = messages;
    // The beginning of instructions for all conversations would be no title.
    const title =
      transcript.context === "" ? "" : titleOf({ messages: [{ ...first, id: "", index: 0, files: [] }] });
    const told = await Promise.all(messages.map((each) => this.#kept(principal, each)));
    const named = agent === SUPERVISOR ? undefined : agent;
    const { state, isNew } = await this.#resolver.begin(principal, { id, agent: named, title, told });
    if (!isNew) throw new SessionChangedError();
    return this.post(request, ids, state, state.messages.length);
  }

  async #kept(principal: Principal, said: TranscriptMessage) {
    const { role, content } = said;
    return { role, content, files: await this.#uploaded(principal, said) };
  }

  async #uploaded(principal: Principal, { files }: TranscriptMessage) {
    const { limits } = this.#host;
    const large = files.find(({ content }) => content.byteLength > limits.fileBytes);
    if (large) throw new Problem("too_large", `A file may have up to ${limits.fileBytes} bytes`);
    if (files.length === 0) return undefined;
    return Promise.all(files.map((file) => this.#host.files.put(principal, file)));
  }
}

/** The first run of a session, which answers what it was made for. */
function firstRun({ runs }: SessionState): Run {
  const [run] = runs.values();
  if (!run) throw new Error("A session that was to be answered in has no run");
  return run;
}

function answeringIn({ state, run, messageId }: ResolvedRun): RunPartRef {
  return { sessionId: state.id, runId: run.id, messageId, part: 0 };
}

function forkId({ key }: ChatCommand, ids: CommandIds): string | undefined {
  return key === undefined ? undefined : ids.id("ses");
}

/** What a request led to in the session that was made under its key. */
export function madeUnder(request: ChatCommand, ids: CommandIds, state: SessionState): RunPartRef {
  const posted = postedUnder(request, ids, state);
  if (posted) return posted;
  const run = firstRun(state);
  return same(
    request,
    state,
    run,
    state.messages.find(({ id }) => id === run.messageId),
  );
}

/** What the message with this request's key led to in this session. */
export function postedUnder(
  request: ChatCommand,
  ids: CommandIds,
  state: SessionState,
): RunPartRef | undefined {
  const message =
    request.key === undefined ? undefined : state.messages.find(({ id }) => id === ids.id("msg"));
  const run = message && runOf(state, message);
  return run && same(request, state, run, message);
}

function same(
  { transcript, agent }: ChatCommand,
  state: SessionState,
  run: Run,
  message: SessionMessage | undefined,
): RunPartRef {
  const isSame =
    message !== undefined &&
    essence(message) === essence(transcript.now) &&
    (run.agent === agent || run.messageId !== message.id);
  if (!isSame)
    throw new Problem("key_reused", "This Idempotency-Key was used for another request: choose a new one");
  return { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
}
