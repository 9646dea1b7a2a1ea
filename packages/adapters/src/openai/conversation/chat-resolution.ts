import { SUPERVISOR } from "@parley/registry";
import {
  type Approval,
  activeRun,
  CommandRefusedError,
  essence,
  isEnded,
  type Principal,
  type Run,
  type SessionMessage,
  type SessionState,
  type Sessions,
  titleOf,
} from "@parley/sessions";
import type { AdapterHost } from "../../adapter-host.ts";
import { type ApprovalAnswer, answerApproval } from "../../conversations/approval-answers.ts";
import { type CommandIds, commandIds } from "../../conversations/command-ids.ts";
import {
  ConversationFinder,
  endsAfter,
  type FoundConversation,
} from "../../conversations/conversation-finder.ts";
import { ConversationResolver, type ResolvedRun } from "../../conversations/conversation-resolver.ts";
import { hasFilesOf, matchByContent } from "../../conversations/matching/match-by-content.ts";
import { openSession, questionsOf, runTakenBy } from "../../conversations/session-reading.ts";
import { Problem, unless } from "../../problem.ts";
import { type ChatCommand, type ChatMessage, contentFor, type RunPartRef } from "./chat-command.ts";
import type { DeliveryReceipts } from "./delivery-receipts.ts";
import { endsWithQuestion, parseReply, withoutQuestions } from "./text-questions.ts";

/** The session has changed since it was read: what a request means there has to be decided anew. */
export class SessionChangedError extends Error {
  override readonly name = "SessionChangedError";
}

/** What one request leads to: a new message, a fork, an answer to a question, or a replay. */
export class ChatResolution {
  readonly #host: AdapterHost;
  readonly #receipts: DeliveryReceipts;
  readonly #command: ChatCommand;
  readonly #ids: CommandIds;
  readonly #finder: ConversationFinder;
  readonly #conversations: ConversationResolver;
  /** The history and the new message. */
  readonly #transcript: readonly ChatMessage[];

  constructor(host: AdapterHost, receipts: DeliveryReceipts, command: ChatCommand) {
    const { principal, transcript, key } = command;
    this.#host = host;
    this.#receipts = receipts;
    this.#command = command;
    this.#ids = commandIds(principal, "openai", { key });
    this.#finder = new ConversationFinder(host.sessions, principal);
    this.#conversations = new ConversationResolver(host, principal);
    this.#transcript = [...transcript.history, transcript.newest];
  }

  /** Throws `SessionChangedError` where it has to be resolved again. */
  async resolve(): Promise<RunPartRef> {
    const { target, transcript } = this.#command;
    const earlier = await this.#earlierByKey();
    if (earlier) return earlier;
    if (target.kind === "history") return this.#withHistory();
    const id = target.kind === "after" ? target.sessionId : target.id;
    const state = await this.#open(id);
    if (target.kind === "session" && target.create && !state) return this.#begin(id);
    if (!state) throw new CommandRefusedError("not_found", `There is no session ${id}`);
    const posted = this.#postedByKey(state);
    if (posted) return posted;
    if (target.kind === "after")
      return this.#place([...messagesUpTo(state, target.runId), ...this.#transcript], state);
    const isWithoutHistory = transcript.history.length === 0 || !target.create;
    return isWithoutHistory ? this.#withoutHistory(state) : this.#withHistory(state);
  }

  /** What this request has led to before, under its key. */
  async #earlierByKey(): Promise<RunPartRef | undefined> {
    const { key, target } = this.#command;
    if (key === undefined) return undefined;
    const made = await this.#open(this.#ids.id("ses"));
    if (made) {
      const [run] = made.runs.values();
      if (!run) return this.#post(made);
      const message = made.messages.find(({ id }) => id === run.messageId);
      return this.#postedByKey(made) ?? this.#repeated(made, run, message);
    }
    if (target.kind !== "history") return undefined;
    const [found] = await this.#finder.find(withoutQuestions(this.#transcript).messages);
    return found && this.#postedByKey(found.state);
  }

  /** What the message with this request's key led to in this session. */
  #postedByKey(state: SessionState): RunPartRef | undefined {
    if (this.#command.key === undefined) return undefined;
    const message = state.messages.find(({ id }) => id === this.#ids.id("msg"));
    const run = message && runTakenBy(state, message);
    return run && this.#repeated(state, run, message);
  }

  #repeated(state: SessionState, run: Run, message: SessionMessage | undefined): RunPartRef {
    const { transcript, agent } = this.#command;
    const isSame =
      message !== undefined &&
      essence(message) === essence(transcript.newest) &&
      (run.agent === agent || run.messageId !== message.id);
    if (!isSame)
      throw new Problem("key_reused", "This Idempotency-Key was used for another request: choose a new one");
    return { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
  }

  /** A message with its history: in the named session, or in the one whose history it is. */
  async #withHistory(named?: SessionState): Promise<RunPartRef> {
    const { messages, answering } = withoutQuestions(this.#transcript);
    if (answering === undefined) return this.#place(messages, named);
    const found = await this.#findQuestion(messages, answering, named);
    return found
      ? this.#reply(found.state, found.asked)
      : this.#place([...messages, this.#command.transcript.newest], named);
  }

  /**
   * The session in which the history's last user message led to a run with so many questions, the last of which was
   * shown in these words. Where several asked the same, it is one that waits for its answer.
   */
  async #findQuestion(messages: readonly ChatMessage[], question: number, named?: SessionState) {
    const shown = this.#command.transcript.history.at(-1)?.content ?? "";
    const upTo = messages.slice(0, messages.findLastIndex(({ role }) => role === "user") + 1);
    const others = (await this.#finder.candidates(upTo, named)).map(({ state }) => state);
    const found = [...(named ? [named] : []), ...others].flatMap((state) => {
      const { matched, place } = matchByContent(state, upTo);
      const message = matched === upTo.length ? state.messages[place - 1] : undefined;
      const run = message && runTakenBy(state, message);
      const asked = run && questionsOf(state, run.id)[question - 1];
      return asked && endsWithQuestion(shown, asked.request) ? [{ state, asked }] : [];
    });
    return found.find(({ asked }) => !asked.answer) ?? found[0];
  }

  async #place(messages: readonly ChatMessage[], named?: SessionState): Promise<RunPartRef> {
    const found = await this.#finder.find(messages, named);
    const [best] = found;
    if (!best) return this.#begin();
    const { state, match } = best;
    if (match.matched === messages.length) return this.#again(found);
    const left = messages.slice(match.matched, -1);
    const isAtEnd = endsAfter(best, messages.length - 1);
    const resolution = this.#conversations.resolve(state, { place: match.place, left, isAtEnd });
    return resolution.kind === "fork"
      ? this.#fork(state, resolution.place, resolution.left)
      : this.#atEnd(state, state.messages.length);
  }

  /** A message in a session without its history. */
  async #withoutHistory(state: SessionState): Promise<RunPartRef> {
    const { transcript, principal, agent, isRepeated } = this.#command;
    const { newest } = transcript;
    const last = state.messages.findLast(({ role }) => role === "user");
    const run = last && runTakenBy(state, last);
    if (run) {
      const questions = questionsOf(state, run.id);
      const part = questions.findLastIndex(({ answer }) => answer !== undefined) + 1;
      const isReply = questions[part - 1]?.answer?.text === newest.content;
      const isOver = isEnded(run) || questions.length > part;
      const isDelivered = isOver && (await this.#receipts.isDelivered(principal, state.id, run.id, part));
      if (isReply && (isRepeated || !isDelivered))
        return { sessionId: state.id, runId: run.id, messageId: run.messageId, part };
      const isSame =
        matchByContent({ ...state, messages: [last] }, [newest]).matched === 1 && hasFilesOf(last, newest);
      if (isSame && run.agent === agent && (isRepeated || (part === 0 && !isDelivered)))
        return { sessionId: state.id, runId: run.id, messageId: last.id, part: 0 };
    }
    if (transcript.history.length === 0) return this.#atEnd(state);
    return this.#place([...transcriptOf(state.messages), ...this.#transcript], state);
  }

  /** The same request as before: replayed while its answer has not been delivered, else answered again in a fork. */
  async #again(found: readonly FoundConversation[]): Promise<RunPartRef> {
    const { principal, transcript, isRepeated, agent } = this.#command;
    const candidates = found.flatMap(({ state, match }) => {
      const message = state.messages[match.place - 1];
      return message ? [{ state, message, run: runTakenBy(state, message) }] : [];
    });
    const answers: RunPartRef[] = [];
    for (const { state, message, run } of candidates) {
      // A request to another agent wants that agent's answer.
      if (!run || run.agent !== agent || !hasFilesOf(message, transcript.newest)) continue;
      const answer = { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
      if (await this.#receipts.isPending(principal, state.id, run)) return answer;
      answers.push(answer);
    }
    const [first] = candidates;
    if (isRepeated && answers[0]) return answers[0];
    if (!first) throw new Error("Matched conversation has no message");
    return this.#answerAgain(first);
  }

  async #answerAgain(known: { state: SessionState; message: SessionMessage; run: Run | undefined }) {
    const { transcript, agent, thinking } = this.#command;
    const { state, message, run } = known;
    const isUnchanged =
      hasFilesOf(message, transcript.newest) &&
      contentFor(state.messages.slice(0, message.index), transcript) === message.content;
    if (!isUnchanged || run?.messageId !== message.id) return this.#fork(state, message.index);
    const asking = { content: message.content, agent, thinking };
    return partOf(await this.#conversations.answerAgain(known, { asking, ...this.#forkKeys }));
  }

  /** A message at the session's end: the reply to an open question, or a new message. */
  async #atEnd(state: SessionState, after?: number): Promise<RunPartRef> {
    const run = activeRun(state);
    const asked = run && questionsOf(state, run.id).find(({ answer }) => !answer);
    return asked ? this.#reply(state, asked) : this.#post(state, after);
  }

  #reply(state: SessionState, asked: Approval): Promise<RunPartRef> {
    const { principal, transcript } = this.#command;
    const answer = parseReply(asked, transcript.newest.content);
    return answerQuestion(this.#host.sessions, principal, state, asked, answer);
  }

  /** Posts the message; `after`: only if the session still has so many messages. */
  async #post(state: SessionState, after?: number): Promise<RunPartRef> {
    const { transcript, agent, thinking, key } = this.#command;
    const content = contentFor(state.messages, transcript);
    const files = await this.#uploadedIds(transcript.newest);
    const id = key === undefined ? undefined : this.#ids.id("msg");
    const { run, message } = await this.#conversations
      .post(state.id, { id, content, files, agent, thinking, after })
      .catch((error: unknown) => {
        const isChanged = error instanceof CommandRefusedError && error.code === "conflict";
        throw isChanged ? new SessionChangedError() : error;
      });
    return { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
  }

  /** Posts the message in a fork that begins with the first `place` messages and the client's own after them. */
  async #fork(state: SessionState, place: number, left: readonly ChatMessage[] = []): Promise<RunPartRef> {
    const { transcript, agent, thinking } = this.#command;
    const content = contentFor(state.messages.slice(0, place), transcript);
    const files = await this.#uploadedIds(transcript.newest);
    const history = await this.#recorded(left);
    const asking = { content, files, agent, thinking };
    const command = { asking, ...this.#forkKeys, intent: { content, files, agent } };
    return partOf(await this.#conversations.fork({ state, place, history }, command));
  }

  /** Creates a session with the client's history. */
  async #begin(id = this.#ids.id("ses")): Promise<RunPartRef> {
    const { transcript, agent } = this.#command;
    const { messages } = withoutQuestions(transcript.history);
    const { role, content } = messages[0] ?? transcript.newest;
    // The beginning of instructions for all conversations would be no title.
    const title =
      transcript.context === "" ? "" : titleOf({ messages: [{ id: "", index: 0, role, content }] });
    const named = agent === SUPERVISOR ? undefined : agent;
    const history = await this.#recorded(messages);
    const { state, isNew } = await this.#conversations.begin({ id, agent: named, title, history });
    if (!isNew) throw new SessionChangedError();
    return this.#post(state, state.messages.length);
  }

  get #forkKeys() {
    const { key } = this.#command;
    return { key, forkId: key === undefined ? undefined : this.#ids.id("ses") };
  }

  #open(id: string): Promise<SessionState | undefined> {
    return unless("not_found", openSession(this.#host.sessions, this.#command.principal, id));
  }

  #recorded(messages: readonly ChatMessage[]) {
    return Promise.all(
      messages.map(async (message) => {
        const { role, content } = message;
        return { role, content, files: await this.#upload(message) };
      }),
    );
  }

  async #uploadedIds(message: ChatMessage): Promise<string[] | undefined> {
    return (await this.#upload(message))?.map(({ blob }) => blob);
  }

  async #upload({ files = [] }: ChatMessage) {
    const { limits } = this.#host;
    if (files.some(({ content }) => content.byteLength > limits.fileBytes))
      throw new Problem("too_large", `A file may have up to ${limits.fileBytes} bytes`);
    if (files.length === 0) return undefined;
    return Promise.all(files.map((file) => this.#host.files.put(this.#command.principal, file)));
  }
}

/**
 * Answers a question of an agent, and returns the part of the run that follows. The same answer again leads to the same
 * part; another one is refused. Where the run has ended meanwhile, its end is what follows.
 */
export async function answerQuestion(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  { runId, id }: Approval,
  answer: ApprovalAnswer,
): Promise<RunPartRef> {
  await answerApproval(sessions, principal, state, answer, {
    accepts: ({ decision, text }) =>
      decision === answer.decision && (decision !== "answered" || text?.trim() === answer.text?.trim()),
  });
  const part = questionsOf(state, runId).findIndex((question) => question.id === id) + 1;
  return { sessionId: state.id, runId, messageId: state.runs.get(runId)?.messageId ?? "", part };
}

function partOf({ state, run, messageId }: ResolvedRun): RunPartRef {
  return { sessionId: state.id, runId: run.id, messageId, part: 0 };
}

/** The session's own messages up to a run's answer, as a client would send them. */
function messagesUpTo({ messages, runs }: SessionState, runId: string): readonly ChatMessage[] {
  const run = runs.get(runId);
  const answer = messages.findLastIndex((message) => message.role === "assistant" && message.runId === runId);
  const asked = messages.findIndex(({ id }) => id === run?.messageId);
  const isUnderWay = run !== undefined && !isEnded(run);
  return transcriptOf(isUnderWay ? messages : messages.slice(0, (answer < 0 ? asked : answer) + 1));
}

function transcriptOf(messages: readonly SessionMessage[]): readonly ChatMessage[] {
  const shown = messages.filter((message) => message.role === "user" || essence(message) !== "");
  return shown.map(({ role, content }) => ({ role, content }));
}
