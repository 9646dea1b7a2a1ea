import {
  type ApiClient,
  type Approval,
  activeRunIn,
  type RunRecord,
  type ShownSession,
  type SyncEngine,
  shownSession,
} from "@parley/client";
import { type Line, span, wrapped } from "../../terminal/line.ts";
import { askedLines, isPermission } from "../view/approval-lines.ts";
import { messageKey, sessionBlocks } from "../view/session-blocks.ts";
import { type Shown, Transcript } from "../view/transcript.ts";
import { readArguments } from "./edited-arguments.ts";

export interface ChatOptions {
  readonly engine: SyncEngine;
  readonly client: ApiClient;
  /** A session that is there, to go on with. */
  readonly sessionId?: string | undefined;
  /** Who is spoken to in sessions that are begun here. */
  readonly agent?: string | undefined;
}

/** So many exchanges of a session that is gone on with are shown again. */
const SHOWN_AGAIN = 2;

/** One user's conversation in one session at a time: what is said and done, and what there is to see of it. */
export class Chat {
  readonly engine: SyncEngine;
  readonly client: ApiClient;
  #sessionId: string | undefined;
  #agent: string | undefined;
  #transcript = new Transcript();
  /** Lines of our own that have not been shown yet. */
  #notes: Line[] = [];
  /** The session was there before us: not all of it is shown. */
  #isEntering: "fork" | "resumed" | undefined;
  #wasRefused = false;

  constructor({ engine, client, sessionId, agent }: ChatOptions) {
    this.engine = engine;
    this.client = client;
    this.#sessionId = sessionId;
    this.#agent = agent;
    if (sessionId === undefined) return;
    this.#isEntering = "resumed";
    if (agent !== undefined) this.switchAgent(agent);
  }

  /** Whether the server did not take something that was asked of it. */
  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get shown(): ShownSession | undefined {
    return this.#sessionId === undefined ? undefined : shownSession(this.engine.state, this.#sessionId);
  }

  /** The run that is under way. */
  get run(): RunRecord | undefined {
    const { shown } = this;
    return shown && activeRunIn({ ...shown, approvals: {} });
  }

  get lastRun(): RunRecord | undefined {
    return this.run ?? Object.values(this.shown?.runs ?? {}).at(-1);
  }

  /** Whether something was said that is not answered yet. */
  get isBusy(): boolean {
    const { shown } = this;
    const isOnTheWay = shown?.messages.some(({ pending }) => pending) ?? false;
    return this.run !== undefined || isOnTheWay || (shown?.next.length ?? 0) > 0;
  }

  /** What the user is asked first. */
  get asked(): Approval | undefined {
    const { shown, run } = this;
    if (!run || shown?.cancelling.includes(run.id)) return undefined;
    return shown?.approvals.find((each) => each.runId === run.id && !each.decision);
  }

  /** Says something of our own, at the next look. */
  note(...lines: readonly Line[]): void {
    this.#notes.push(...lines);
  }

  /** Says something: an answer where one is asked for, else a message, which waits while an agent is at work. */
  say(text: string): void {
    const { asked } = this;
    if (asked && this.#isAnswer(asked, text)) return;
    this.#sessionId ??= this.engine.create(this.#agent === undefined ? {} : { agent: this.#agent });
    const isFree = !this.isBusy || this.run?.status === "waiting";
    if (isFree) this.engine.send(this.#sessionId, text);
    else this.engine.sendNext(this.#sessionId, text);
  }

  answer({ sessionId, id }: Approval, answer: Parameters<SyncEngine["answer"]>[2]): void {
    this.engine.answer(sessionId, id, answer);
  }

  /** Approves, and lets the tool be used in this session without asking; what waits for the same leave has it now. */
  allowAlways(asked: Approval): void {
    for (const each of this.shown?.approvals ?? [])
      if (each.id !== asked.id && !each.decision && each.agent === asked.agent && each.tool === asked.tool)
        this.answer(each, { decision: "approved" });
    this.answer(asked, { decision: "approved", always: true });
  }

  /** Stops the run that is under way; false: there is none, or it is being stopped already. */
  stop(): boolean {
    const { run, shown } = this;
    if (!run || !shown || shown.cancelling.includes(run.id)) return false;
    this.engine.cancel(shown.id, run.id);
    return true;
  }

  /** Goes to a session that begins with what is said next. */
  begin(): void {
    if (this.#sessionId !== undefined) this.engine.close(this.#sessionId);
    this.#sessionId = undefined;
    this.#transcript = new Transcript();
  }

  /** Lets this agent answer from now on, in this session and in those that are begun here. */
  switchAgent(agent: string): void {
    this.#agent = agent;
    if (this.#sessionId !== undefined) this.engine.change(this.#sessionId, { agent });
  }

  /** What is new to see, and what is going on. */
  advance(width: number, now: number): Shown {
    this.#follow();
    this.#refusals();
    const notes = this.#notes.flatMap((line) => wrapped(line, width));
    this.#notes = [];
    const { shown } = this;
    const transcript = this.#transcript;
    const isTold = (key: string) => transcript.isTold(key);
    const blocks = shown && this.#isReady(shown, now) ? sessionBlocks(shown, now, isTold) : [];
    const { settled, live } = transcript.advance(blocks, width);
    return { settled: [...notes, ...settled], live };
  }

  /** For where nothing can be changed on the screen: says once what is asked. */
  noteAsked(width: number): void {
    const { asked } = this;
    if (!asked || this.#transcript.isTold(`asked/${asked.id}`)) return;
    this.#transcript.passOver([`asked/${asked.id}`]);
    this.note(...askedLines(asked, width));
  }

  /** A fork that the user made is gone to when it is there. */
  #follow(): void {
    const { current } = this.engine.state;
    if (current === undefined || this.#sessionId === undefined || current === this.#sessionId) return;
    this.#sessionId = current;
    this.#transcript = new Transcript();
    this.#isEntering = "fork";
    this.note([span("⑂ ", "notice"), span(`Branch ${current}`, "quiet")]);
  }

  /** Whether what there is can be shown; of what was there before, only the end is. */
  #isReady(shown: ShownSession, now: number): boolean {
    if (this.#isEntering === undefined) return true;
    if (!shown.isCurrent) return false;
    const { messages } = shown;
    if (this.#isEntering === "fork") {
      // The run of a fork is new, though the message that it answers is not.
      this.#transcript.passOver(messages.filter(({ pending }) => !pending).map(messageKey));
      this.#isEntering = undefined;
      return true;
    }
    const again = messages.filter(({ role }) => role === "user").at(-SHOWN_AGAIN);
    const before = again ? messages.slice(0, messages.indexOf(again)) : [];
    const passed = sessionBlocks({ ...shown, messages: before, next: [] }, now);
    this.#transcript.passOver([...passed].map(({ key }) => key));
    if (before.length > 0)
      this.note([span(`… ${before.length} earlier messages: parley replay ${shown.id} shows them`, "quiet")]);
    this.#isEntering = undefined;
    return true;
  }

  /** What the server does not take is said, and given up. */
  #refusals(): void {
    for (const { key, phase, command } of this.engine.state.queue) {
      if (phase.name !== "refused") continue;
      this.#wasRefused = true;
      this.note([span("✗ ", "bad"), span(phase.refusal.message)]);
      this.engine.discardCommand(key);
      if (command.type !== "create") continue;
      for (const each of this.engine.state.queue)
        if (each.command.sessionId === command.sessionId) this.engine.discardCommand(each.key);
      this.begin();
    }
  }

  #isAnswer(asked: Approval, said: string): boolean {
    const text = said.trim();
    const [, json] = /^e (\{.*\})$/s.exec(text) ?? [];
    if (!isPermission(asked)) this.answer(asked, { decision: "answered", text });
    else if (json !== undefined) {
      const read = readArguments(json);
      if (read.isRight) this.answer(asked, { decision: "approved", arguments: read.value });
      else this.note([span(read.problem, "bad")]);
    } else if (/^y(es)?$/i.test(text)) this.answer(asked, { decision: "approved" });
    else if (/^no?$/i.test(text)) this.answer(asked, { decision: "denied" });
    else if (/^a(lways)?$/i.test(text)) this.allowAlways(asked);
    else return false;
    return true;
  }
}
