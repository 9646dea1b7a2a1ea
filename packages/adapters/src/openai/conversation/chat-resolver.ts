import { KeyedMutex } from "@parley/journal";
import {
  type Approval,
  activeRun,
  CommandRefusedError,
  essence,
  historyHashes,
  isEnded,
  type Principal,
  type SessionMessage,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import type { AdapterHost } from "../../adapter-host.ts";
import { type CommandIds, commandIds } from "../../conversations/command-ids.ts";
import { resolve } from "../../conversations/conversation-resolver.ts";
import { Problem } from "../../problem.ts";
import { answerQuestion, type GivenAnswer } from "./answer-question.ts";
import { withoutQuestions } from "./answered-questions.ts";
import type { ChatCommand, RunPartRef, TranscriptMessage } from "./chat-command.ts";
import { ChatWriter, madeUnder, postedUnder, SessionChangedError } from "./chat-writer.ts";
import { ConversationFinder, type FoundConversation, goesOn } from "./conversation-finder.ts";
import type { DeliveryReceipts } from "./delivery-receipts.ts";
import { hasFilesOf, matchChat } from "./history-match.ts";
import { parseDecision } from "./parse-decision.ts";
import { questionsOf, runOf } from "./run-questions.ts";

/** How often a request is resolved again because the session has changed. */
const ATTEMPTS = 10;

/** Resolves a request without message ids: a new message, a fork, an answer to a question, or a replay. */
export class ChatResolver {
  readonly #receipts: DeliveryReceipts;
  readonly #finder: ConversationFinder;
  readonly #record: ChatWriter;
  readonly #sessions: Sessions;
  readonly #mutex = new KeyedMutex();

  constructor(host: AdapterHost, receipts: DeliveryReceipts) {
    this.#receipts = receipts;
    this.#finder = new ConversationFinder(host.sessions);
    this.#record = new ChatWriter(host);
    this.#sessions = host.sessions;
  }

  ask(request: ChatCommand): Promise<RunPartRef> {
    const ids = commandIds(request.principal, "openai", { key: request.key });
    // The same, sent twice at once, is the same: the second finds what the first has led to.
    return this.#mutex.run(mutexKey(request), async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          const answering = await this.#decide(request, ids);
          await this.#receipts.request(request.principal, answering.sessionId, answering.runId);
          return answering;
        } catch (error) {
          if (!(error instanceof SessionChangedError)) throw error;
          if (attempt >= ATTEMPTS)
            throw new Problem("unavailable", "Session is busy; retry", {
              retryAfter: 1,
            });
        }
      }
    });
  }

  /** Answers a question of an agent; one that was answered so before goes on as it did then. */
  answer(
    principal: Principal,
    state: SessionState,
    asked: Approval,
    given: GivenAnswer,
  ): Promise<RunPartRef> {
    return answerQuestion(this.#sessions, principal, state, asked, given);
  }

  async #decide(request: ChatCommand, ids: CommandIds): Promise<RunPartRef> {
    const { principal, place, transcript } = request;
    const made = await this.#madeBefore(request, ids);
    if (made) return made;
    switch (place.kind) {
      case "after": {
        const state = await this.#there(principal, place.sessionId);
        const told = [...upTo(state, place.runId), ...all(transcript)];
        return postedUnder(request, ids, state) ?? this.#within(request, ids, told, state);
      }
      case "session": {
        const state = place.make
          ? await this.#finder.own(principal, place.id)
          : await this.#there(principal, place.id);
        if (!state) return this.#record.begin(request, ids, place.id);
        const isAdded = transcript.before.length === 0 || !place.make;
        return (
          postedUnder(request, ids, state) ??
          (isAdded ? this.#added(request, ids, state) : this.#withHistory(request, ids, state))
        );
      }
      case "history":
        return this.#withHistory(request, ids);
    }
  }

  /** What this request has led to before, under its key. */
  async #madeBefore(request: ChatCommand, ids: CommandIds): Promise<RunPartRef | undefined> {
    const { key, principal, place, transcript } = request;
    if (key === undefined) return undefined;
    const made = await this.#finder.own(principal, ids.id("ses"));
    if (made?.runs.size === 0) return this.#record.post(request, ids, made);
    if (made) return madeUnder(request, ids, made);
    if (place.kind !== "history") return undefined;
    const [found] = await this.#finder.find(principal, withoutQuestions(all(transcript)).messages);
    return found && postedUnder(request, ids, found.state);
  }

  /** A message with its history: in the named session, or in the one whose history it is. */
  async #withHistory(request: ChatCommand, ids: CommandIds, named?: SessionState): Promise<RunPartRef> {
    const { transcript, principal } = request;
    const { messages, answering } = withoutQuestions(all(transcript));
    if (answering === undefined) return this.#within(request, ids, messages, named);
    const shown = transcript.before.at(-1)?.content ?? "";
    const asked = { told: messages, question: answering, shown };
    const found = await this.#finder.findQuestion(principal, asked, named);
    return found
      ? this.answer(principal, found.state, found.asked, given(found.asked, transcript.now))
      : this.#within(request, ids, [...messages, transcript.now], named);
  }

  async #within(
    request: ChatCommand,
    ids: CommandIds,
    told: readonly TranscriptMessage[],
    named?: SessionState,
  ): Promise<RunPartRef> {
    const found = await this.#finder.find(request.principal, told, named);
    const [best] = found;
    if (!best) return this.#record.begin(request, ids);
    const { state, match } = best;
    if (match.said === told.length) return this.#again(request, ids, found);
    const left = told.slice(match.said, -1);
    const isAtEnd = goesOn(best, told.length - 1);
    const resolution = resolve(state, { place: match.place, left, isAtEnd });
    return resolution.kind === "fork"
      ? this.#record.branch(request, ids, resolution)
      : this.#atTheEnd(request, ids, state, state.messages.length);
  }

  /** A message in a session without its history. */
  async #added(request: ChatCommand, ids: CommandIds, state: SessionState): Promise<RunPartRef> {
    const { transcript, principal, agent, isRepeated } = request;
    const last = state.messages.findLast(({ role }) => role === "user");
    const run = last && runOf(state, last);
    if (run) {
      const questions = questionsOf(state, run.id);
      const part = questions.findLastIndex(({ answer }) => answer !== undefined) + 1;
      const isAnswer = questions[part - 1]?.answer?.text === transcript.now.content;
      const isOver = isEnded(run) || questions.length > part;
      const isTold = isOver && (await this.#receipts.isDelivered(principal, state.id, run.id, part));
      if (isAnswer && (isRepeated || !isTold))
        return { sessionId: state.id, runId: run.id, messageId: run.messageId, part };
      const isSame =
        matchChat({ ...state, messages: [last] }, [transcript.now]).said === 1 &&
        hasFilesOf(last, transcript.now);
      if (isSame && run.agent === agent && (isRepeated || (part === 0 && !isTold)))
        return { sessionId: state.id, runId: run.id, messageId: last.id, part: 0 };
    }
    if (transcript.before.length === 0) return this.#atTheEnd(request, ids, state);
    return this.#within(request, ids, [...saidIn(state.messages), ...all(transcript)], state);
  }

  async #atTheEnd(
    request: ChatCommand,
    ids: CommandIds,
    state: SessionState,
    after?: number,
  ): Promise<RunPartRef> {
    const { principal, transcript } = request;
    const run = activeRun(state);
    const asked = run && questionsOf(state, run.id).find(({ answer }) => !answer);
    return asked
      ? this.answer(principal, state, asked, given(asked, transcript.now))
      : this.#record.post(request, ids, state, after);
  }

  /** The same request as before: replayed while its answer has not been delivered, else answered again in a fork. */
  async #again(
    request: ChatCommand,
    ids: CommandIds,
    found: readonly FoundConversation[],
  ): Promise<RunPartRef> {
    const { principal, transcript, isRepeated, agent } = request;
    const asked = found.flatMap(({ state, match }) => {
      const message = state.messages[match.place - 1];
      return message ? [{ state, message, run: runOf(state, message) }] : [];
    });
    const answers: RunPartRef[] = [];
    for (const { state, message, run } of asked) {
      // Whoever asks another agent wants that one's answer.
      if (!run || run.agent !== agent || !hasFilesOf(message, transcript.now)) continue;
      const answering = { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
      if (await this.#receipts.isPending(principal, state.id, run)) return answering;
      answers.push(answering);
    }
    const [first] = asked;
    if (isRepeated && answers[0]) return answers[0];
    if (!first) throw new Error("A conversation that was found has no message");
    return this.#record.again(request, ids, first);
  }

  async #there(principal: Principal, id: string): Promise<SessionState> {
    const state = await this.#finder.own(principal, id);
    if (!state) throw new CommandRefusedError("not_found", `There is no session ${id}`);
    return state;
  }
}

/** What requests have in common that may be the same. */
function mutexKey({ principal: { workspace, owner }, place, transcript, key }: ChatCommand): string {
  const said =
    key ??
    (place.kind === "history"
      ? historyHashes(all(transcript)).at(-1)
      : place.kind === "session"
        ? place.id
        : place.sessionId);
  return JSON.stringify([workspace, owner, said]);
}

/** What a person's words are to a question: about the call of a tool yes or no, else an answer. */
function given({ request }: Approval, { content }: TranscriptMessage): GivenAnswer {
  return request.tool === undefined ? { decision: "answered", text: content } : parseDecision(content);
}

function all({ before, now }: ChatCommand["transcript"]): readonly TranscriptMessage[] {
  return [...before, now];
}

/** The session's own messages up to a run's answer, as a client would send them. */
function upTo({ messages, runs }: SessionState, runId: string): readonly TranscriptMessage[] {
  const run = runs.get(runId);
  const answer = messages.findLastIndex((message) => message.role === "assistant" && message.runId === runId);
  const asked = messages.findIndex(({ id }) => id === run?.messageId);
  const isUnderWay = run !== undefined && !isEnded(run);
  return saidIn(isUnderWay ? messages : messages.slice(0, (answer < 0 ? asked : answer) + 1));
}

function saidIn(messages: readonly SessionMessage[]): readonly TranscriptMessage[] {
  const said = messages.filter((message) => message.role === "user" || essence(message) !== "");
  return said.map(({ role, content }) => ({ role, content, files: [] }));
}
