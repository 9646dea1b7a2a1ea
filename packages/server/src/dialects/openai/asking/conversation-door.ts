import { IndexConflictError } from "@parley/journal";
import {
  type Approval,
  activeRun,
  CommandRefusedError,
  essence,
  isEnded,
  type Principal,
  type SessionMessage,
  type SessionState,
  type ToldMessage,
  titleOf,
  toldMessages,
} from "@parley/sessions";
import { SUPERVISOR } from "@parley/supervisor";
import type { Api } from "../../../api/api-options.ts";
import { type CommandIds, commandIds } from "../../../api/command-ids.ts";
import { Conversations } from "../../../api/conversations.ts";
import { Problem, problemOf } from "../../../api/problem.ts";
import { chosenId } from "../../../api/schemas/parameters.ts";
import { wrong } from "../openai-error.ts";
import { withoutQuestions } from "./answered-questions.ts";
import { contentFor, hasFilesOf, isOnItsWay, questionIn, questionsOf, runOf } from "./asked-again.ts";
import type { Answering, Request } from "./asking.ts";
import { ConversationFinder } from "./conversation-finder.ts";
import { matchedHistory } from "./matched-history.ts";
import type { Said } from "./said.ts";
import { decisionIn } from "./yes-or-no.ts";

/** A session in which something is said, and the client's conversation there, which ends with that. */
interface Within {
  readonly request: Request;
  readonly ids: CommandIds;
  readonly state: SessionState;
  readonly told: readonly Said[];
}

/** Decides what a request means to the record, and does it: a message, a fork, an answer to a question, or what was asked before. */
export class ConversationDoor {
  readonly #api: Api;
  readonly #conversations: Conversations;
  readonly #finder: ConversationFinder;

  constructor(api: Api) {
    this.#api = api;
    this.#conversations = new Conversations(api);
    this.#finder = new ConversationFinder(api.sessions);
  }

  async ask(request: Request): Promise<Answering> {
    const { principal, key, place, telling } = request;
    const ids = commandIds(principal, "openai", { header: key });
    const before = key === undefined ? undefined : await this.#madeUnder(request, ids);
    if (before) return before;
    switch (place.kind) {
      case "after": {
        const state = await this.#there(request, place.sessionId);
        const posted = postedUnder(request, ids, state);
        if (posted) return posted;
        return this.#within({ request, ids, state, told: [...upTo(state, place.runId), ...all(telling)] });
      }
      case "session": {
        const state = await this.#finder.own(request, place.id);
        const posted = state && postedUnder(request, ids, state);
        if (posted) return posted;
        if (state && (telling.before.length === 0 || !place.make)) return this.#appended(request, ids, state);
        if (state) return this.#withHistory(request, ids, state);
        if (!place.make) throw new CommandRefusedError("not_found", `There is no session ${place.id}`);
        return this.#begin(request, ids, place.id);
      }
      case "history":
        return this.#byHistory(request, ids);
    }
  }

  /** Answers a question of an agent; one that was answered before goes on as it did then. */
  async answer(
    principal: Principal,
    state: SessionState,
    asked: Approval,
    given: { readonly decision: "approved" | "denied" | "answered"; readonly text?: string | undefined },
  ): Promise<Answering> {
    const { runId, id: approvalId } = asked;
    const part = questionsOf(state, runId).findIndex(({ id }) => id === approvalId) + 1;
    const messageId = state.runs.get(runId)?.messageId ?? "";
    if (!asked.answer)
      await this.#api.sessions
        .execute(principal, state.id, { type: "answerApproval", approvalId, ...given })
        .catch((error: unknown) => {
          // Somebody was quicker, or the run has ended: the client sees what came of that.
          if (problemOf(error)?.code !== "conflict") throw error;
        });
    return { sessionId: state.id, runId, messageId, part };
  }

  async #byHistory(request: Request, ids: CommandIds): Promise<Answering> {
    const { telling, principal } = request;
    const { messages, answering } = withoutQuestions(all(telling));
    if (answering !== undefined) {
      const found = await this.#finder.findQuestion(request, messages, answering);
      if (found) return this.answer(principal, found.state, found.asked, given(found.asked, telling.now));
    }
    const told = answering === undefined ? messages : [...messages, telling.now];
    const found = await this.#finder.find(request, told);
    return found ? this.#within({ request, ids, state: found.state, told }) : this.#begin(request, ids);
  }

  /** Said in a session, with its history. */
  async #withHistory(request: Request, ids: CommandIds, state: SessionState): Promise<Answering> {
    const { telling, principal } = request;
    const { messages, answering } = withoutQuestions(all(telling));
    const asked = answering === undefined ? undefined : questionIn(state, messages, answering);
    if (asked) return this.answer(principal, state, asked, given(asked, telling.now));
    const told = answering === undefined ? messages : [...messages, telling.now];
    return this.#within({ request, ids, state, told });
  }

  async #within(within: Within): Promise<Answering> {
    const { state, told } = within;
    const { said, place } = matchedHistory(state, told);
    const message = state.messages[place - 1];
    if (said === told.length && message) return this.#again(within, message);
    if (said === told.length - 1 && place === state.messages.length) return this.#atTheEnd(within);
    const { request, ids } = within;
    const since = await Promise.all(told.slice(said, -1).map((each) => this.#kept(request, each)));
    return this.#branched(request, ids, { state, place, told: since });
  }

  /** Said in a session without its history. */
  async #appended(request: Request, ids: CommandIds, state: SessionState): Promise<Answering> {
    const { telling, isRepeated } = request;
    const last = state.messages.findLast(({ role }) => role === "user");
    const run = last && runOf(state, last);
    const marks = run ? await this.#api.sessions.marks(request.principal, state.id) : new Set<string>();
    if (run) {
      const answered = questionsOf(state, run.id).findLastIndex(({ answer }) => answer !== undefined);
      const isSaid = questionsOf(state, run.id)[answered]?.answer?.text === telling.now.content;
      if (isSaid && (isRepeated || isOnItsWay(run, marks, answered + 1)))
        return { sessionId: state.id, runId: run.id, messageId: run.messageId, part: answered + 1 };
    }
    const isSame =
      last !== undefined &&
      matchedHistory({ ...state, messages: [last] }, [telling.now]).said === 1 &&
      hasFilesOf(last, telling.now);
    if (run && isSame && run.agent === request.agent && (isRepeated || isOnItsWay(run, marks)))
      return { sessionId: state.id, runId: run.id, messageId: last.id, part: 0 };
    if (telling.before.length === 0) return this.#atTheEnd({ request, ids, state, told: [telling.now] });
    return this.#within({ request, ids, state, told: [...saidIn(state.messages), ...all(telling)] });
  }

  async #atTheEnd({ request, ids, state }: Within): Promise<Answering> {
    const { principal, telling } = request;
    const run = activeRun(state);
    const asked = run && questionsOf(state, run.id).find(({ answer }) => !answer);
    return asked
      ? this.answer(principal, state, asked, given(asked, telling.now))
      : this.#post(request, ids, state);
  }

  /** The same as before: told again while it is on its way, else answered anew, in a fork. */
  async #again({ request, ids, state }: Within, message: SessionMessage): Promise<Answering> {
    const { principal, telling, isRepeated, agent, thinking } = request;
    const run = runOf(state, message);
    const isSame = hasFilesOf(message, telling.now);
    // Whoever asks another agent wants that one's answer.
    if (run && isSame && run.agent === agent) {
      const marks = await this.#api.sessions.marks(principal, state.id);
      if (isRepeated || isOnItsWay(run, marks))
        return { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
    }
    const earlier = state.messages.slice(0, message.index);
    const isUnchanged = isSame && contentFor(earlier, telling.context, telling.now) === message.content;
    if (!run || !isUnchanged || run.messageId !== message.id)
      return this.#branched(request, ids, { state, place: message.index, told: [] });
    const fork = { id: this.#idOf(request, ids), agent, thinking };
    const child = await this.#conversations.retry(
      principal,
      { sessionId: state.id, runId: run.id },
      fork,
      request.key,
    );
    return answeringIn(child);
  }

  async #post(request: Request, ids: CommandIds, state: SessionState): Promise<Answering> {
    const { principal, telling, agent, thinking, key } = request;
    const before = postedUnder(request, ids, state);
    if (before) return before;
    const content = contentFor(state.messages, telling.context, telling.now);
    const files = await this.#upload(request, telling.now);
    const id = key === undefined ? undefined : ids.id("msg");
    const asking = { id, content, files: files?.map(({ blob }) => blob), agent, thinking };
    const { run, message } = await this.#conversations.post(principal, state.id, asking);
    return { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
  }

  async #branched(
    request: Request,
    ids: CommandIds,
    { state, place, told }: { state: SessionState; place: number; told: readonly ToldMessage[] },
  ): Promise<Answering> {
    const { principal, telling, agent, thinking, key } = request;
    const content = contentFor(state.messages.slice(0, place), telling.context, telling.now);
    const files = (await this.#upload(request, telling.now))?.map(({ blob }) => blob);
    const child = await this.#conversations.branch(
      principal,
      state.id,
      {
        content,
        files,
        agent,
        thinking,
        told,
        at: { messages: place },
        fork: { id: this.#idOf(request, ids) },
      },
      { key, asked: { content, files, agent } },
    );
    return answeringIn(child);
  }

  /** A session of its own, with all that the client says was said. */
  async #begin(request: Request, ids: CommandIds, chosen?: string): Promise<Answering> {
    const { principal, telling, agent } = request;
    if (chosen !== undefined && !chosenId.safeParse(chosen).success)
      throw wrong(
        "X-Session-Id",
        "must be 16 to 100 letters, digits, _ or -, or the id of a session that there is",
      );
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
      ...toldMessages(id, await Promise.all(messages.map((each) => this.#kept(request, each)))),
    ];
    try {
      const { state } = await this.#api.sessions.adopt(principal, id, events);
      return await this.#post(request, ids, state);
    } catch (error) {
      if (!(error instanceof IndexConflictError)) throw error;
      // Somebody has it: whoever sent this at the same time, or somebody else, whose it then is.
      const state = await this.#there(request, id);
      return this.#post(request, ids, state);
    }
  }

  /** What this request has led to before, under its key. */
  async #madeUnder(request: Request, ids: CommandIds): Promise<Answering | undefined> {
    const made = await this.#finder.own(request, ids.id("ses"));
    if (made && made.runs.size === 0) return this.#post(request, ids, made);
    if (made) return postedUnder(request, ids, made) ?? answeringIn(made);
    if (request.place.kind !== "history") return undefined;
    const found = await this.#finder.find(request, withoutQuestions(all(request.telling)).messages);
    return found && postedUnder(request, ids, found.state);
  }

  /** The id of a fork that a request with a key makes. */
  #idOf({ key }: Request, ids: CommandIds): string | undefined {
    return key === undefined ? undefined : ids.id("ses");
  }

  async #there(request: Request, id: string): Promise<SessionState> {
    const state = await this.#finder.own(request, id);
    if (!state) throw new CommandRefusedError("not_found", `There is no session ${id}`);
    return state;
  }

  async #kept(request: Request, said: Said) {
    const { role, content } = said;
    return { role, content, files: await this.#upload(request, said) };
  }

  async #upload({ principal }: Request, { files }: Said) {
    const { limits } = this.#api;
    const large = files.find(({ content }) => content.byteLength > limits.fileBytes);
    if (large) throw new Problem("too_large", `A file may have up to ${limits.fileBytes} bytes`);
    if (files.length === 0) return undefined;
    return Promise.all(files.map((file) => this.#api.files.put(principal, file)));
  }
}

/** What a person's words are to a question: about the call of a tool yes or no, else an answer. */
function given({ request }: Approval, { content }: Said) {
  return request.tool === undefined
    ? ({ decision: "answered", text: content } as const)
    : decisionIn(content);
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

/** Of a fork that was made with a run. */
function answeringIn(state: SessionState): Answering {
  const [run] = state.runs.values();
  if (!run) throw new Error("A fork that was to be answered has no run");
  return { sessionId: state.id, runId: run.id, messageId: run.messageId, part: 0 };
}

/** What the message with this request's key led to in this session. */
function postedUnder({ key }: Request, ids: CommandIds, state: SessionState): Answering | undefined {
  const message = key === undefined ? undefined : state.messages.find(({ id }) => id === ids.id("msg"));
  const run = message && runOf(state, message);
  return run && { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
}
