import { isDeepStrictEqual } from "node:util";
import {
  type Artifact,
  type ArtifactArrival,
  type ArtifactEvent,
  inlineText,
  isInlineText,
  isTerminal,
  type Message,
  type Part,
  type PeerEvent,
  type PlanState,
  type Provenance,
  type ReportedCall,
  type ReportedResult,
  StreamInterpreter,
  type StreamResponse,
  type TaskState,
  type TaskStatus,
  type Usage,
} from "@parley/a2a";
import { callIdentity, type EventOf, type SessionEvent } from "../../domain/session-event.ts";
import { AnswerSnapshots } from "./answer-snapshots.ts";
import { OpenQuestions, type Question, questionOf, source } from "./open-questions.ts";
import { OutputFamily } from "./output-family.ts";
import type { RunText } from "./run-text.ts";
import { RunTexts } from "./run-texts.ts";

type EventBody = SessionEvent extends infer Event
  ? Event extends { runId: string }
    ? Omit<Event, "runId">
    : never
  : never;

const FINAL = "final-status";
/** The text that an agent speaks in statuses, token by token (S0.12), until an artifact shows that it was no answer. */
const SPOKEN = "status-words";
const MAX_ARTIFACTS = 1_000;
const LEFT_OUT = `The agent sends more than ${MAX_ARTIFACTS} artifacts: the others are left out.`;

/** Turns an agent's events into session events (S4.22–23): pure, so that replaying a run's frames restores its state. */
export class RunTransform {
  readonly #runId: string;
  readonly #texts: RunTexts;
  readonly #output: OutputFamily;
  readonly #snapshots: AnswerSnapshots;
  readonly #questions: OpenQuestions;
  readonly #artifacts = new Set<string>();
  readonly #files = new Map<string, readonly Part[]>();
  readonly #seen = new Set<string>();
  #events: SessionEvent[] = [];
  #interpreter = new StreamInterpreter();
  #plan: PlanState | undefined;
  #state: TaskState | undefined;
  #words = "";
  #usage: Usage | undefined;

  constructor(runId: string) {
    this.#runId = runId;
    this.#texts = new RunTexts(runId, (event) => this.#events.push(event));
    this.#output = new OutputFamily(this.#texts);
    this.#snapshots = new AnswerSnapshots(this.#texts);
    this.#questions = new OpenQuestions(runId);
  }

  get taskId(): string | undefined {
    return this.#interpreter.taskId;
  }

  get state(): TaskState | undefined {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#state !== undefined && isTerminal(this.#state);
  }

  /** What the agent said about its last state. */
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

  question(approvalId: string): Question | undefined {
    return this.#questions.get(approvalId);
  }

  /** The answer has reached the agent. */
  answered(approvalId: string): void {
    this.#questions.answered(approvalId);
  }

  /** The session events of an agent's event; `corrects`: it repeats an artifact whole, to correct what came before. */
  accept(event: StreamResponse, { corrects = false } = {}): readonly SessionEvent[] {
    this.#events = [];
    const heard = this.#interpreter.interpret(event, { corrects });
    if ("task" in event) this.#output.whole(heard);
    for (const one of heard) this.#hear(one);
    return this.#events;
  }

  /** The agent starts over from the same snapshot: takes back what it said, and forgets its task. */
  restart(): readonly SessionEvent[] {
    this.#events = [];
    this.#texts.takeBack();
    for (const [artifactId, parts] of this.#files)
      if (parts.length > 0) this.#emit({ type: "agent_artifact", artifactId, parts: [] });
    this.#output.forget();
    this.#snapshots.forget();
    for (const known of [this.#files, this.#seen, this.#artifacts]) known.clear();
    this.#events.push(...this.#questions.close());
    this.#plan = undefined;
    this.#interpreter = new StreamInterpreter();
    this.#state = undefined;
    return this.#events;
  }

  #emit(body: EventBody): void {
    this.#events.push({ ...body, runId: this.#runId } as SessionEvent);
  }

  #hear(event: PeerEvent): void {
    if ("usage" in event) this.#usage = event.usage ?? this.#usage;
    if ("status" in event && event.type !== "question") this.#questions.goesOn();
    switch (event.type) {
      case "reply":
        this.#reply(event.message);
        break;
      case "question":
        this.#ask(questionOf(event), event.status.state);
        break;
      case "ended":
        if (!this.isOver) this.#finish(event.status);
        break;
      case "tool-notice":
        this.#call(event.call, event.origin);
        this.#ended(event.ended, event.origin);
        this.#changed(event.status.state, "", event.origin?.agent);
        break;
      case "token":
      case "notice": {
        const isToken = event.type === "token" && !this.#hasAnswerArtifact;
        if (isToken) this.#texts.open({ artifactId: SPOKEN, channel: "answer" }).append(event.text);
        this.#changed(event.status.state, isToken ? "" : event.text, event.origin?.agent);
        break;
      }
      default:
        if (!this.#leavesOut(event.artifact.artifactId)) this.#artifact(event);
    }
  }

  get #hasAnswerArtifact(): boolean {
    const spoken = this.#texts.get(SPOKEN);
    return this.#texts.of("answer").some((text) => text !== spoken);
  }

  #reply({ parts, messageId }: Message): void {
    const artifactId = messageId || "reply";
    this.#texts.open({ artifactId, channel: "answer" }).append(inlineText(parts));
    this.#keep({ artifactId, parts }, "replace");
    this.#end("TASK_STATE_COMPLETED");
  }

  #artifact(event: ArtifactEvent): void {
    const { artifact, arrival, origin, isLast } = event;
    const { artifactId, parts } = artifact;
    switch (event.type) {
      case "answer":
      case "branch":
      case "thought":
        this.#text(event);
        break;
      case "output-start":
      case "output-delta":
      case "output-end":
        if (arrival === "append" || arrival === "replace") this.#output.accept(event.type, inlineText(parts));
        break;
      case "snapshot":
        this.#snapshots.accept(event);
        this.#keep(artifact, arrival, origin);
        break;
      case "plan-text":
        into(this.#planText(artifact), inlineText(parts), arrival);
        break;
      case "plan-complete": {
        // It repeats what was streamed, under the same id or another.
        const text = this.#planText(artifact, true);
        into(text, inlineText(parts), arrival === "replace" ? "current" : arrival);
        break;
      }
      case "plan-state":
        this.#showPlan(event.plan);
        break;
      case "tool-call":
        if (!this.#isSeen(artifactId)) this.#call(event.call, origin);
        break;
      case "tool-result":
        if (!this.#isSeen(artifactId)) this.#ended(event.ended, origin, inlineText(parts));
        break;
      default:
        event satisfies never;
    }
    if (isLast) this.#texts.get(artifactId)?.end();
  }

  #leavesOut(artifactId: string): boolean {
    if (this.#artifacts.size < MAX_ARTIFACTS) this.#artifacts.add(artifactId);
    if (this.#artifacts.has(artifactId)) return false;
    if (!this.#isSeen("left out")) this.#emit({ type: "agent_status", state: "working", text: LEFT_OUT });
    return true;
  }

  #text({ type, artifact, arrival, origin }: ArtifactEvent): void {
    const { artifactId, name, parts } = artifact;
    const words = inlineText(parts);
    const channel = type === "thought" ? "thinking" : type === "branch" ? "branch" : "answer";
    this.#keep(artifact, arrival, origin);
    const known = this.#texts.get(artifactId);
    if (!known && words === "") return;
    if (!known && channel === "answer" && this.#repeatsSpoken(artifactId, words)) return;
    const head = { artifactId, channel, ...(name !== undefined && { name }) } as const;
    const text = known ?? this.#texts.open({ ...head, ...(channel !== "answer" && source(origin)) });
    into(text, words, arrival);
  }

  /** Whether an artifact repeats what was spoken; where it says something else, that was only about the work. */
  #repeatsSpoken(artifactId: string, words: string): boolean {
    const spoken = this.#texts.get(SPOKEN);
    const said = spoken?.said ?? "";
    if (spoken && said === words) {
      this.#texts.alias(artifactId, spoken);
      return true;
    }
    spoken?.restart("");
    if (said !== "") this.#emit({ type: "agent_status", state: "working", text: said });
    return false;
  }

  #planText({ artifactId, name }: Artifact, isWhole = false): RunText {
    const last = isWhole && !this.#texts.get(artifactId) ? this.#texts.of("plan").at(-1) : undefined;
    const head = { artifactId, channel: "plan" } as const;
    return last ?? this.#texts.open({ ...head, ...(name !== undefined && { name }) });
  }

  #showPlan(plan: PlanState | undefined): void {
    if (!plan || isDeepStrictEqual(plan, this.#plan)) return;
    this.#plan = plan;
    this.#emit({ type: "agent_plan", steps: [...plan.steps] });
  }

  /** Keeps what is not text; recorded whole whenever it changes, so that the last one holds. */
  #keep({ artifactId, name, parts }: Artifact, arrival: ArtifactArrival, origin?: Provenance): void {
    const others = parts.filter((part) => !isInlineText(part));
    const before = this.#files.get(artifactId) ?? [];
    const now = arrival === "append" ? [...before, ...others] : others;
    if (isDeepStrictEqual(now, before)) return;
    this.#files.set(artifactId, now);
    this.#emit({
      type: "agent_artifact",
      artifactId,
      parts: [...now],
      ...source(origin),
      ...(name !== undefined && { name }),
    });
  }

  #isSeen(mark: string): boolean {
    const isSeen = this.#seen.has(mark);
    this.#seen.add(mark);
    return isSeen;
  }

  #call(call: ReportedCall | undefined, origin: Provenance | undefined): void {
    if (!call) return;
    const { id, ...called } = call;
    this.#emitOnce({ type: "agent_tool_call", callId: id, ...called, ...caller(origin, id) });
  }

  #ended(ended: ReportedResult | undefined, origin: Provenance | undefined, text = ""): void {
    if (!ended) return;
    const { id, ...how } = ended;
    const said = text !== "" && { text };
    this.#emitOnce({ type: "agent_tool_result", callId: id, ...how, ...said, ...caller(origin, id) });
  }

  #emitOnce(event: Extract<EventBody, { type: "agent_tool_call" | "agent_tool_result" }>): void {
    if (!this.#isSeen(`${event.type} ${callIdentity(event)}`)) this.#emit(event);
  }

  #finish({ state, message }: TaskStatus): void {
    this.#words = inlineText(message?.parts ?? []);
    if (state === "TASK_STATE_COMPLETED" && message) this.#lastWords(message, this.#words);
    this.#end(state);
  }

  /** The answer of an agent that says nothing before it ends; of others, a remark. */
  #lastWords({ parts }: Message, words: string): void {
    this.#snapshots.judge();
    this.#keep({ artifactId: FINAL, parts }, "replace");
    if (words === "" || this.#texts.answer === words) return;
    if (this.#texts.answer === "") this.#texts.open({ artifactId: FINAL, channel: "answer" }).append(words);
    else this.#emit({ type: "agent_status", state: "completed", text: words });
  }

  #ask(question: Question, state: TaskState): void {
    const asked = this.#questions.ask(question, state !== "TASK_STATE_WORKING");
    if (!asked) return;
    if (asked.event) this.#events.push(asked.event);
    this.#changed(state);
  }

  #changed(state: TaskState, text = "", agent?: string): void {
    if (this.#state === state && text === "") return;
    this.#state = state;
    this.#emit({
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

function into(text: RunText, words: string, arrival: ArtifactArrival): void {
  if (arrival === "append") text.append(words);
  else if (arrival === "replace") text.restart(words);
  else text.bringTo(words, { final: arrival === "final" });
}

/** Who makes a call, and for whom. What has no task yet and bears the id of its own origin is the delegation itself. */
function caller(
  origin: Provenance | undefined,
  id: string,
): Pick<EventOf<"agent_tool_call">, "agent" | "parentCallId" | "taskId"> {
  if (!origin) return {};
  const { agent, callId, taskId } = origin;
  const isDelegation = callId === id && taskId === undefined;
  return {
    agent,
    ...(callId && !isDelegation && { parentCallId: callId }),
    ...(taskId && { taskId }),
  };
}
