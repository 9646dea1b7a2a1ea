import { isObject } from "@parley/a2a";
import {
  type ApiClient,
  type Approval,
  activeRunIn,
  EventFeed,
  MemoryCache,
  type RunRecord,
  type ShownSession,
  SyncEngine,
  shownSession,
} from "@parley/client";
import { apiKey, BACKOFF } from "../../server-address.ts";
import { type Line, span, wrapped } from "../../terminal/line.ts";
import { isPermission, questionLines } from "../view/approval-lines.ts";
import { messageKey, sessionBlocks } from "../view/session-blocks.ts";
import { type Shown, Transcript } from "../view/transcript.ts";

export interface ChatOptions {
  readonly engine: SyncEngine;
  readonly client: ApiClient;
  /** An existing session to resume. */
  readonly sessionId?: string | undefined;
  /** The agent of new sessions. */
  readonly agent?: string | undefined;
}

/** How many exchanges of a resumed session are shown again. */
const SHOWN_AGAIN = 2;

/** The user's conversation in one session at a time: what they do, and what there is to show. */
export class Chat {
  readonly engine: SyncEngine;
  readonly client: ApiClient;
  #sessionId: string | undefined;
  #agent: string | undefined;
  #transcript = new Transcript();
  /** Our own lines that have not been shown yet. */
  #notes: Line[] = [];
  /** An existing session is being opened: not all of it is shown. */
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

  /** Whether the server refused a command. */
  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get shown(): ShownSession | undefined {
    return this.#sessionId === undefined ? undefined : shownSession(this.engine.state, this.#sessionId);
  }

  /** The active run. */
  get run(): RunRecord | undefined {
    const { shown } = this;
    return shown && activeRunIn({ ...shown, approvals: {} });
  }

  get lastRun(): RunRecord | undefined {
    return this.run ?? Object.values(this.shown?.runs ?? {}).at(-1);
  }

  /** Whether a message is not answered yet. */
  get isBusy(): boolean {
    const { shown } = this;
    const isSending = shown?.messages.some(({ pending }) => pending) ?? false;
    return this.run !== undefined || isSending || (shown?.next.length ?? 0) > 0;
  }

  /** The first open question to the user. */
  get question(): Approval | undefined {
    const { shown, run } = this;
    if (!run || shown?.cancelling.includes(run.id)) return undefined;
    return shown?.approvals.find((each) => each.runId === run.id && !each.decision);
  }

  /** Shows lines of our own in the next frame. */
  note(...lines: readonly Line[]): void {
    this.#notes.push(...lines);
  }

  /** Answers the open question, or else sends a message, which is queued while an agent works. */
  send(text: string): void {
    const { question } = this;
    if (question && this.#answerWith(question, text)) return;
    this.#sessionId ??= this.engine.create(this.#agent === undefined ? {} : { agent: this.#agent });
    const isFree = !this.isBusy || this.run?.status === "waiting";
    if (isFree) this.engine.send(this.#sessionId, text);
    else this.engine.sendNext(this.#sessionId, text);
  }

  answer({ sessionId, id }: Approval, answer: Parameters<SyncEngine["answer"]>[2]): void {
    this.engine.answer(sessionId, id, answer);
  }

  /** Always allows the tool in this session, and approves all open questions about it. */
  allowAlways(asked: Approval): void {
    for (const each of this.shown?.approvals ?? [])
      if (each.id !== asked.id && !each.decision && each.agent === asked.agent && each.tool === asked.tool)
        this.answer(each, { decision: "approved" });
    this.answer(asked, { decision: "approved", always: true });
  }

  /** Stops the active run; false where there is none or it is already stopping. */
  stop(): boolean {
    const { run, shown } = this;
    if (!run || !shown || shown.cancelling.includes(run.id)) return false;
    this.engine.cancel(shown.id, run.id);
    return true;
  }

  /** Starts a new session with the next message. */
  startNew(): void {
    if (this.#sessionId !== undefined) this.engine.close(this.#sessionId);
    this.#sessionId = undefined;
    this.#transcript = new Transcript();
  }

  /** Uses this agent from now on, in this session and in new ones. */
  switchAgent(agent: string): void {
    this.#agent = agent;
    if (this.#sessionId !== undefined) this.engine.change(this.#sessionId, { agent });
  }

  /** New lines, and what is in progress. */
  advance(width: number, now: number): Shown {
    this.#followFork();
    this.#showRefusals();
    const notes = this.#notes.flatMap((line) => wrapped(line, width));
    this.#notes = [];
    const { shown } = this;
    const transcript = this.#transcript;
    const isShown = (key: string) => transcript.isShown(key);
    const blocks = shown && this.#isReady(shown, now) ? sessionBlocks(shown, now, isShown) : [];
    const { settled, live } = transcript.advance(blocks, width);
    return { settled: [...notes, ...settled], live };
  }

  /** Shows the open question once, for a terminal that can only append lines. */
  noteQuestion(width: number): void {
    const { question } = this;
    if (!question || this.#transcript.isShown(`asked/${question.id}`)) return;
    this.#transcript.markShown([`asked/${question.id}`]);
    this.note(...questionLines(question, width));
  }

  /** Switches to a fork of the user once it exists. */
  #followFork(): void {
    const { current } = this.engine.state;
    if (current === undefined || this.#sessionId === undefined || current === this.#sessionId) return;
    this.#sessionId = current;
    this.#transcript = new Transcript();
    this.#isEntering = "fork";
    this.note([span("⑂ ", "notice"), span(`Branch ${current}`, "quiet")]);
  }

  /** Whether the session can be shown; of existing messages, only the last ones are. */
  #isReady(shown: ShownSession, now: number): boolean {
    if (this.#isEntering === undefined) return true;
    if (!shown.isCurrent) return false;
    const { messages } = shown;
    if (this.#isEntering === "fork") {
      // A fork's run is new, even though the message that it answers is not.
      this.#transcript.markShown(messages.filter(({ pending }) => !pending).map(messageKey));
      this.#isEntering = undefined;
      return true;
    }
    const again = messages.filter(({ role }) => role === "user").at(-SHOWN_AGAIN);
    const before = again ? messages.slice(0, messages.indexOf(again)) : [];
    const passed = sessionBlocks({ ...shown, messages: before, next: [] }, now);
    this.#transcript.markShown([...passed].map(({ key }) => key));
    if (before.length > 0)
      this.note([
        span(`… ${before.length} earlier messages; show them with: parley replay ${shown.id}`, "quiet"),
      ]);
    this.#isEntering = undefined;
    return true;
  }

  /** Shows and discards commands that the server refused. */
  #showRefusals(): void {
    for (const { key, phase, command } of this.engine.state.queue) {
      if (phase.name !== "refused") continue;
      this.#wasRefused = true;
      this.note([span("✗ ", "bad"), span(phase.refusal.message)]);
      this.engine.discardCommand(key);
      if (command.type !== "create") continue;
      for (const each of this.engine.state.queue)
        if (each.command.sessionId === command.sessionId) this.engine.discardCommand(each.key);
      this.startNew();
    }
  }

  /** Answers a question; false where the text is not an answer to it. */
  #answerWith(asked: Approval, given: string): boolean {
    const text = given.trim();
    const [, json] = /^e (\{.*\})$/s.exec(text) ?? [];
    if (!isPermission(asked)) this.answer(asked, { decision: "answered", text });
    else if (json !== undefined) {
      const read = readArguments(json);
      if (typeof read === "string") this.note([span(read, "bad")]);
      else this.answer(asked, { decision: "approved", arguments: read });
    } else if (/^y(es)?$/i.test(text)) this.answer(asked, { decision: "approved" });
    else if (/^no?$/i.test(text)) this.answer(asked, { decision: "denied" });
    else if (/^a(lways)?$/i.test(text)) this.allowAlways(asked);
    else return false;
    return true;
  }
}

/** Starts the engine that keeps sessions in sync with the server across reconnects. */
export function startEngine(client: ApiClient, server: string): Promise<SyncEngine> {
  const feed = new EventFeed({ baseUrl: server, key: apiKey(), backoff: BACKOFF });
  return SyncEngine.start({ client, feed, cache: new MemoryCache(), backoff: BACKOFF, readsList: false });
}

/** Parses a tool's arguments, which must be a JSON object; returns why they are invalid otherwise. */
export function readArguments(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'Arguments must be an object, like {"name": "value"}';
  } catch (error) {
    return `Not JSON: ${(error as Error).message}`;
  }
}
