import { isDeepStrictEqual } from "node:util";
import {
  type Artifact,
  type Message,
  type Metadata,
  memberIn,
  memberInPart,
  type Part,
  planState,
  type StreamResponse,
  type TaskState,
  type TaskStatus,
  type Usage,
  usage,
} from "@parley/a2a";
import { callIdentity, type SessionEvent } from "../../domain/session-event.ts";
import { AnswerSnapshots } from "./answer-snapshots.ts";
import { isWords, kindOf, wordsOf } from "./artifact-kind.ts";
import { OpenQuestions } from "./open-questions.ts";
import { OutputFamily } from "./output-family.ts";
import { type Question, questionIn } from "./question.ts";
import type { RunText } from "./run-text.ts";
import { RunTexts } from "./run-texts.ts";
import { StatusWords } from "./status-words.ts";
import { agentIn, calledBy, calledIn, endedBy, endedIn, originIn } from "./tool-events.ts";

/** How an artifact comes: a piece of it, all of it anew, or as the agent has it now, for good or not. */
type Coming = "piece" | "anew" | "whole" | "final";

type EventBody = SessionEvent extends infer Event
  ? Event extends { runId: string }
    ? Omit<Event, "runId">
    : never
  : never;

const ENDS = /_(COMPLETED|FAILED|CANCELED|REJECTED)$/;
const FINAL = "final-status";
/** What an agent has beyond these is left out. */
const MAX_ARTIFACTS = 1_000;
const LEFT_OUT = `The agent sends more than ${MAX_ARTIFACTS} artifacts: the others are left out.`;

/**
 * What an agent's events are to the session (S4.22–23): pure, and the same for the same events, so that whoever reads
 * a run's frames again stands where the one before stood.
 */
export class RunTransform {
  readonly #runId: string;
  readonly #texts: RunTexts;
  readonly #status: StatusWords;
  readonly #output: OutputFamily;
  readonly #snapshots: AnswerSnapshots;
  readonly #questions: OpenQuestions;
  readonly #artifacts = new Set<string>();
  readonly #files = new Map<string, readonly Part[]>();
  readonly #calls = new Map<string, string>();
  readonly #seen = new Set<string>();
  #told: SessionEvent[] = [];
  #plan: unknown;
  #taskId: string | undefined;
  #state: TaskState | undefined;
  #words = "";
  #usage: Usage | undefined;

  constructor(runId: string) {
    this.#runId = runId;
    this.#texts = new RunTexts(runId, (event) => this.#told.push(event));
    this.#status = new StatusWords(this.#texts);
    this.#output = new OutputFamily(this.#texts);
    this.#snapshots = new AnswerSnapshots(this.#texts);
    this.#questions = new OpenQuestions(runId);
  }

  get taskId(): string | undefined {
    return this.#taskId;
  }

  /** How the agent's task stands, as far as it was told. */
  get state(): TaskState | undefined {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#state !== undefined && ENDS.test(this.#state);
  }

  /** What it said about its last state. */
  get words(): string {
    return this.#words;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  get answer(): string {
    return this.#texts.answer;
  }

  /** The question without whose answer the agent does not go on. */
  get waitingFor(): string | undefined {
    return this.#questions.waitingFor;
  }

  /** What the agent asked under this id. */
  question(approvalId: string): Question | undefined {
    return this.#questions.get(approvalId);
  }

  /** The answer has reached the agent. */
  answered(approvalId: string): void {
    this.#questions.answered(approvalId);
  }

  /** What an event of the agent leads to; `corrects`: it repeats an artifact whole, to correct what was said of it. */
  accept(event: StreamResponse, { corrects = false } = {}): readonly SessionEvent[] {
    this.#told = [];
    if ("message" in event) this.#reply(event.message);
    else if ("artifactUpdate" in event) {
      const { artifact, append, lastChunk, taskId } = event.artifactUpdate;
      this.#taskId ??= taskId || undefined;
      this.#artifact(artifact, corrects ? "whole" : append ? "piece" : "anew");
      if (lastChunk) this.#texts.get(artifact.artifactId)?.end();
    } else if ("statusUpdate" in event) {
      const { taskId, status, metadata } = event.statusUpdate;
      this.#taskId ??= taskId || undefined;
      this.#hear(status, metadata);
    } else {
      const { id, artifacts = [], status, metadata } = event.task;
      this.#taskId ??= id || undefined;
      const coming = ENDS.test(status.state) ? "final" : "whole";
      this.#output.whole(artifacts.filter((artifact) => kindOf(artifact) === "output-delta"));
      for (const artifact of artifacts) this.#artifact(artifact, coming);
      this.#hear(status, metadata);
    }
    return this.#told;
  }

  /** The agent begins anew from the same snapshot: what it said is taken back, and its task is forgotten. */
  restart(): readonly SessionEvent[] {
    this.#told = [];
    this.#texts.takeBack();
    for (const [artifactId, parts] of this.#files)
      if (parts.length > 0) this.#tell({ type: "agent_artifact", artifactId, parts: [] });
    this.#status.forget();
    this.#output.forget();
    this.#snapshots.forget();
    for (const known of [this.#files, this.#calls, this.#seen, this.#artifacts]) known.clear();
    this.#told.push(...this.#questions.close());
    this.#plan = undefined;
    this.#taskId = undefined;
    this.#state = undefined;
    return this.#told;
  }

  #tell(body: EventBody): void {
    this.#told.push({ ...body, runId: this.#runId } as SessionEvent);
  }

  #reply({ parts, messageId, metadata }: Message): void {
    this.#usage = memberIn(metadata, usage).value ?? this.#usage;
    const artifactId = messageId || "reply";
    this.#texts.open({ artifactId, channel: "answer" }).append(wordsOf(parts));
    this.#keep({ artifactId, parts }, "anew");
    this.#end("TASK_STATE_COMPLETED");
  }

  #artifact(artifact: Artifact, coming: Coming): void {
    const { artifactId, parts } = artifact;
    if (this.#leavesOut(artifactId)) return;
    const kind = kindOf(artifact);
    switch (kind) {
      case "text":
      case "thinking":
        this.#text(artifact, coming, kind === "thinking");
        break;
      case "output-start":
      case "output-delta":
      case "output-end":
        if (coming === "piece" || coming === "anew") this.#output.accept(kind, wordsOf(parts));
        break;
      case "snapshot":
        this.#snapshots.accept(artifact, coming === "piece");
        this.#keep(artifact, coming);
        break;
      case "plan":
        this.#into(this.#planText(artifact), wordsOf(parts), coming);
        break;
      case "whole-plan":
        // It repeats what was streamed, under the same id or another.
        this.#into(this.#planText(artifact, true), wordsOf(parts), coming === "anew" ? "whole" : coming);
        break;
      case "plan-state":
        this.#showPlan(parts);
        break;
      case "tool-call":
      case "tool-result":
        if (this.#isSeen(artifactId)) return;
        this.#called(kind === "tool-call" ? calledBy(artifact) : endedBy(artifact, this.#calls));
    }
  }

  #leavesOut(artifactId: string): boolean {
    if (this.#artifacts.size < MAX_ARTIFACTS) this.#artifacts.add(artifactId);
    if (this.#artifacts.has(artifactId)) return false;
    if (!this.#isSeen("left out")) this.#tell({ type: "agent_status", state: "working", text: LEFT_OUT });
    return true;
  }

  #text(artifact: Artifact, coming: Coming, isThinking: boolean): void {
    const { artifactId, name, parts, metadata } = artifact;
    const words = wordsOf(parts);
    const agent = agentIn(metadata);
    const isBranch = agent !== undefined && name !== "streaming_result";
    const channel = isThinking ? "thinking" : isBranch ? "branch" : "answer";
    this.#keep(artifact, coming);
    const known = this.#texts.get(artifactId);
    if (!known && words === "") return;
    if (!known && channel === "answer" && this.#isSaidInStatuses(artifactId, words)) return;
    const head = { artifactId, channel, ...(name !== undefined && { name }) } as const;
    const text = this.#texts.open({ ...head, ...(isBranch && originIn(metadata)) });
    this.#into(text, words, coming);
  }

  /** An artifact says once more, or in other words, what was said in statuses: it is the answer then. */
  #isSaidInStatuses(artifactId: string, words: string): boolean {
    if (this.#status.isSameAs(artifactId, words)) return true;
    const chatter = this.#status.takeBack();
    if (chatter !== "") this.#tell({ type: "agent_status", state: "working", text: chatter });
    return false;
  }

  #into(text: RunText, words: string, coming: Coming): void {
    if (coming === "piece") text.append(words);
    else if (coming === "anew") text.restart(words);
    else text.bringTo(words, { final: coming === "final" });
  }

  #planText({ artifactId, name }: Artifact, isWhole = false): RunText {
    const last = isWhole && !this.#texts.get(artifactId) ? this.#texts.of("plan").at(-1) : undefined;
    const head = { artifactId, channel: "plan" } as const;
    return last ?? this.#texts.open({ ...head, ...(name !== undefined && { name }) });
  }

  #showPlan(parts: readonly Part[]): void {
    const state = parts.map((part) => memberInPart(part, planState).value).find(Boolean);
    if (!state || isDeepStrictEqual(state, this.#plan)) return;
    this.#plan = state;
    this.#tell({ type: "agent_plan", steps: [...state.steps] });
  }

  /** Keeps what is not words; told whole whenever it changes, so that the last one holds. */
  #keep({ artifactId, name, parts, metadata }: Artifact, coming: Coming): void {
    const others = parts.filter((part) => !isWords(part));
    const before = this.#files.get(artifactId) ?? [];
    const now = coming === "piece" ? [...before, ...others] : others;
    if (isDeepStrictEqual(now, before)) return;
    this.#files.set(artifactId, now);
    this.#tell({
      type: "agent_artifact",
      artifactId,
      parts: [...now],
      ...originIn(metadata),
      ...(name !== undefined && { name }),
    });
  }

  #isSeen(mark: string): boolean {
    const isSeen = this.#seen.has(mark);
    this.#seen.add(mark);
    return isSeen;
  }

  #called(event: ReturnType<typeof calledBy> | ReturnType<typeof endedBy>): void {
    if (this.#isSeen(`${event.type} ${callIdentity(event)}`)) return;
    if (event.type === "agent_tool_call") this.#calls.set(event.tool, event.callId);
    this.#tell(event);
  }

  #hear(status: TaskStatus, metadata: Metadata | undefined): void {
    const { state, message } = status;
    // What an agent below reports is its own.
    if (agentIn(metadata) === undefined)
      this.#usage =
        memberIn(metadata, usage).value ?? memberIn(message?.metadata, usage).value ?? this.#usage;
    const question = questionIn(status, metadata);
    if (question) this.#ask(question, state);
    else {
      this.#questions.goesOn();
      if (!ENDS.test(state)) this.#work(status, { ...metadata, ...message?.metadata });
      else if (!this.isOver) this.#finish(status);
    }
  }

  #work({ state, message }: TaskStatus, about: Metadata): void {
    const called = [calledIn(about), endedIn(about)].filter((event) => event !== undefined);
    for (const event of called) this.#called(event);
    const isNew = message !== undefined && this.#status.isNew(message) && called.length === 0;
    const words = isNew ? wordsOf(message.parts) : "";
    const hasArtifact = this.#texts.of("answer").some((text) => !this.#status.is(text));
    const isToken = words !== "" && !hasArtifact && this.#status.isToken(words, about);
    if (isToken) this.#status.say(words);
    this.#changed(state, isToken ? "" : words, agentIn(about));
  }

  #finish({ state, message }: TaskStatus): void {
    this.#words = wordsOf(message?.parts ?? []);
    if (state === "TASK_STATE_COMPLETED" && message) this.#lastWords(message, this.#words);
    this.#end(state);
  }

  /** The answer of an agent that says nothing before it has ended; of others, a word about it. */
  #lastWords({ parts }: Message, words: string): void {
    this.#snapshots.judge();
    this.#keep({ artifactId: FINAL, parts }, "anew");
    if (words === "" || this.#texts.answer === words) return;
    if (this.#texts.answer === "") this.#texts.open({ artifactId: FINAL, channel: "answer" }).append(words);
    else this.#tell({ type: "agent_status", state: "completed", text: words });
  }

  #ask(question: Question, state: TaskState): void {
    const asked = this.#questions.ask(question, state !== "TASK_STATE_WORKING");
    if (!asked) return;
    if (asked.event) this.#told.push(asked.event);
    this.#changed(state);
  }

  #changed(state: TaskState, text = "", agent?: string): void {
    if (this.#state === state && text === "") return;
    this.#state = state;
    this.#tell({
      type: "agent_status",
      state: state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-"),
      ...(text !== "" && { text }),
      ...(agent !== undefined && { agent }),
    });
  }

  #end(state: TaskState): void {
    this.#snapshots.judge();
    this.#texts.settle();
    this.#changed(state);
  }
}
