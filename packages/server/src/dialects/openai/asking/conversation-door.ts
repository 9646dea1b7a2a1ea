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
} from "@parley/sessions";
import type { Api } from "../../../api/api-options.ts";
import { type CommandIds, commandIds } from "../../../api/command-ids.ts";
import { Problem } from "../../../api/problem.ts";
import { withoutQuestions } from "./answered-questions.ts";
import { questionsOf, runOf } from "./asked-again.ts";
import type { Answering, Request } from "./asking.ts";
import { ConversationFinder, type FoundConversation, goesOn } from "./conversation-finder.ts";
import { ConversationRecord, SessionGoneOnError } from "./conversation-record.ts";
import { madeUnder, postedUnder } from "./made-under-key.ts";
import { hasFilesOf, matchedHistory } from "./matched-history.ts";
import { type GivenAnswer, QuestionAnswers } from "./question-answers.ts";
import type { Said } from "./said.ts";
import type { ToldAnswers } from "./told-answers.ts";
import { Turns } from "./turns.ts";
import { decisionIn } from "./yes-or-no.ts";

/** So often a request is decided anew, because the session has gone on. */
const ATTEMPTS = 10;

/** Decides what a request means to the record, and does it: a message, a fork, an answer to a question, or what was asked before. */
export class ConversationDoor {
  readonly #told: ToldAnswers;
  readonly #finder: ConversationFinder;
  readonly #record: ConversationRecord;
  readonly #answers: QuestionAnswers;
  readonly #turns = new Turns();

  constructor(api: Api, told: ToldAnswers) {
    this.#told = told;
    this.#finder = new ConversationFinder(api.sessions);
    this.#record = new ConversationRecord(api);
    this.#answers = new QuestionAnswers(api.sessions);
  }

  ask(request: Request): Promise<Answering> {
    const ids = commandIds(request.principal, "openai", { header: request.key });
    // The same, sent twice at once, is the same: the second finds what the first has led to.
    return this.#turns.take(turnOf(request), async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          const answering = await this.#decide(request, ids);
          await this.#told.ask(request.principal, answering.sessionId, answering.runId);
          return answering;
        } catch (error) {
          if (!(error instanceof SessionGoneOnError)) throw error;
          if (attempt >= ATTEMPTS)
            throw new Problem("unavailable", "The session goes on all the time: ask again", {
              retryAfter: 1,
            });
        }
      }
    });
  }

  /** Answers a question of an agent; one that was answered so before goes on as it did then. */
  answer(principal: Principal, state: SessionState, asked: Approval, given: GivenAnswer): Promise<Answering> {
    return this.#answers.give(principal, state, asked, given);
  }

  async #decide(request: Request, ids: CommandIds): Promise<Answering> {
    const { principal, place, telling } = request;
    const made = await this.#madeBefore(request, ids);
    if (made) return made;
    switch (place.kind) {
      case "after": {
        const state = await this.#there(principal, place.sessionId);
        const told = [...upTo(state, place.runId), ...all(telling)];
        return postedUnder(request, ids, state) ?? this.#within(request, ids, told, state);
      }
      case "session": {
        const state = place.make
          ? await this.#finder.own(principal, place.id)
          : await this.#there(principal, place.id);
        if (!state) return this.#record.begin(request, ids, place.id);
        const isAdded = telling.before.length === 0 || !place.make;
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
  async #madeBefore(request: Request, ids: CommandIds): Promise<Answering | undefined> {
    const { key, principal, place, telling } = request;
    if (key === undefined) return undefined;
    const made = await this.#finder.own(principal, ids.id("ses"));
    if (made?.runs.size === 0) return this.#record.post(request, ids, made);
    if (made) return madeUnder(request, ids, made);
    if (place.kind !== "history") return undefined;
    const [found] = await this.#finder.find(principal, withoutQuestions(all(telling)).messages);
    return found && postedUnder(request, ids, found.state);
  }

  /** Said with its history: in the session that is named, or in the one that it is of. */
  async #withHistory(request: Request, ids: CommandIds, named?: SessionState): Promise<Answering> {
    const { telling, principal } = request;
    const { messages, answering } = withoutQuestions(all(telling));
    if (answering === undefined) return this.#within(request, ids, messages, named);
    const shown = telling.before.at(-1)?.content ?? "";
    const asked = { told: messages, question: answering, shown };
    const found = await this.#finder.findQuestion(principal, asked, named);
    return found
      ? this.answer(principal, found.state, found.asked, given(found.asked, telling.now))
      : this.#within(request, ids, [...messages, telling.now], named);
  }

  async #within(
    request: Request,
    ids: CommandIds,
    told: readonly Said[],
    named?: SessionState,
  ): Promise<Answering> {
    const found = await this.#finder.find(request.principal, told, named);
    const [best] = found;
    if (!best) return this.#record.begin(request, ids);
    const { state, match } = best;
    if (match.said === told.length) return this.#again(request, ids, found);
    if (goesOn(best, told.length - 1)) return this.#atTheEnd(request, ids, state, state.messages.length);
    return this.#record.branch(request, ids, { state, place: match.place, told: told.slice(match.said, -1) });
  }

  /** Said in a session without its history. */
  async #added(request: Request, ids: CommandIds, state: SessionState): Promise<Answering> {
    const { telling, principal, agent, isRepeated } = request;
    const last = state.messages.findLast(({ role }) => role === "user");
    const run = last && runOf(state, last);
    if (run) {
      const questions = questionsOf(state, run.id);
      const part = questions.findLastIndex(({ answer }) => answer !== undefined) + 1;
      const isAnswer = questions[part - 1]?.answer?.text === telling.now.content;
      const isOver = isEnded(run) || questions.length > part;
      const isTold = isOver && (await this.#told.isTold(principal, state.id, run.id, part));
      if (isAnswer && (isRepeated || !isTold))
        return { sessionId: state.id, runId: run.id, messageId: run.messageId, part };
      const isSame =
        matchedHistory({ ...state, messages: [last] }, [telling.now]).said === 1 &&
        hasFilesOf(last, telling.now);
      if (isSame && run.agent === agent && (isRepeated || (part === 0 && !isTold)))
        return { sessionId: state.id, runId: run.id, messageId: last.id, part: 0 };
    }
    if (telling.before.length === 0) return this.#atTheEnd(request, ids, state);
    return this.#within(request, ids, [...saidIn(state.messages), ...all(telling)], state);
  }

  async #atTheEnd(
    request: Request,
    ids: CommandIds,
    state: SessionState,
    after?: number,
  ): Promise<Answering> {
    const { principal, telling } = request;
    const run = activeRun(state);
    const asked = run && questionsOf(state, run.id).find(({ answer }) => !answer);
    return asked
      ? this.answer(principal, state, asked, given(asked, telling.now))
      : this.#record.post(request, ids, state, after);
  }

  /** The same as before: told again while it is on its way, else answered anew, in a fork. */
  async #again(request: Request, ids: CommandIds, found: readonly FoundConversation[]): Promise<Answering> {
    const { principal, telling, isRepeated, agent } = request;
    const asked = found.flatMap(({ state, match }) => {
      const message = state.messages[match.place - 1];
      return message ? [{ state, message, run: runOf(state, message) }] : [];
    });
    const answers: Answering[] = [];
    for (const { state, message, run } of asked) {
      // Whoever asks another agent wants that one's answer.
      if (!run || run.agent !== agent || !hasFilesOf(message, telling.now)) continue;
      const answering = { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
      if (await this.#told.isOnItsWay(principal, state.id, run)) return answering;
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
function turnOf({ principal: { workspace, owner }, place, telling, key }: Request): string {
  const said =
    key ??
    (place.kind === "history"
      ? historyHashes(all(telling)).at(-1)
      : place.kind === "session"
        ? place.id
        : place.sessionId);
  return JSON.stringify([workspace, owner, said]);
}

/** What a person's words are to a question: about the call of a tool yes or no, else an answer. */
function given({ request }: Approval, { content }: Said): GivenAnswer {
  return request.tool === undefined ? { decision: "answered", text: content } : decisionIn(content);
}

function all({ before, now }: Request["telling"]): readonly Said[] {
  return [...before, now];
}

/** The session's own messages up to a run's answer, as a client would tell them. */
function upTo({ messages, runs }: SessionState, runId: string): readonly Said[] {
  const run = runs.get(runId);
  const answer = messages.findLastIndex((message) => message.role === "assistant" && message.runId === runId);
  const asked = messages.findIndex(({ id }) => id === run?.messageId);
  const isUnderWay = run !== undefined && !isEnded(run);
  return saidIn(isUnderWay ? messages : messages.slice(0, (answer < 0 ? asked : answer) + 1));
}

function saidIn(messages: readonly SessionMessage[]): readonly Said[] {
  const said = messages.filter((message) => message.role === "user" || essence(message) !== "");
  return said.map(({ role, content }) => ({ role, content, files: [] }));
}
