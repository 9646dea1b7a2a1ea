import type { DomainEvent, EventOf } from "@parley/client";
import { RecordedCalls } from "./recorded-calls.ts";
import { plainQuestion, RecordedMoments } from "./recorded-moments.ts";
import type { RecordedAnswer, RecordedPlan, RecordedTurn } from "./recording.ts";

/** The agent under test, which is therefore never recorded as an agent. */
export const SUPERVISOR = "supervisor";

type Text = EventOf<"agent_token_start">["payload"] & { text: string };
type Asked = EventOf<"approval_requested">["payload"];
type Outcome = Pick<RecordedTurn, "answers" | "plans" | "calls" | "does" | "state" | "reason" | "text">;

/** The outcome of one run, collected from its events. */
export class RecordedRun {
  readonly id: string;
  readonly agent: string;
  readonly #own: RecordedMoments;
  readonly #calls = new RecordedCalls();
  readonly #texts = new Map<string, Text>();
  readonly #plans: RecordedPlan[] = [];
  readonly #asked = new Map<string, Asked>();
  readonly #answers: RecordedAnswer[] = [];
  #model: string | undefined;
  #end: Pick<RecordedTurn, "state" | "reason" | "text"> | undefined;

  constructor(id: string, agent: string) {
    this.id = id;
    this.agent = agent;
    this.#own = new RecordedMoments(agent);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** The model that answered, if known. */
  get model(): string | undefined {
    return this.#model;
  }

  /** Questions without an answer yet. */
  get openQuestions(): readonly Asked[] {
    return [...this.#asked.values()];
  }

  accept({ type, payload }: DomainEvent): void {
    switch (type) {
      case "agent_token_start":
        this.#acceptTextStart(payload);
        break;
      case "agent_token":
        this.#acceptText(payload);
        break;
      case "agent_tool_call":
        if (!this.#isSupervisor || !this.#calls.begin(payload, this.#answerLength))
          this.#of(payload).call(payload);
        break;
      case "agent_tool_result":
        if (!this.#calls.end(payload)) this.#of(payload).ended(payload);
        break;
      case "agent_status":
        if (payload.text !== undefined) this.#calls.acceptStatus(payload.text);
        break;
      case "agent_artifact":
        this.#of(payload).bring(payload);
        break;
      case "agent_plan":
        this.#acceptPlan(payload.steps);
        break;
      case "approval_requested":
        this.#asked.set(payload.approvalId, payload);
        this.#of(payload).ask(payload);
        break;
      case "approval_answered":
        this.#acceptAnswer(payload);
        break;
      case "agent_complete": {
        const { state, content, reason, usage } = payload;
        this.#end = { state, reason, text: content };
        if (typeof usage?.model === "string") this.#model = usage.model;
        break;
      }
      case "agent_cancelled":
        this.#end = { state: "cancelled", reason: payload.reason, text: payload.content };
        break;
      default:
    }
  }

  /** The outcome; for an open run, so far. */
  outcome(): Outcome {
    const answerId = this.#answerTexts[0]?.artifactId;
    const calls = this.#calls.recorded(this.#plans, answerId);
    const does = this.#isSupervisor ? [] : this.#own.moments(answerId);
    const filled = <Item>(items: Item[]) => (items.length > 0 ? items : undefined);
    const answer = this.#answerTexts.map(({ text }) => text).join("");
    return {
      answers: filled(this.#answers),
      plans: filled(this.#plans),
      calls: filled(calls),
      does: filled(does),
      ...(this.#end ?? { state: "cancelled", reason: "It has not ended", text: answer }),
    };
  }

  get #isSupervisor(): boolean {
    return this.agent === SUPERVISOR;
  }

  get #answerTexts(): Text[] {
    return [...this.#texts.values()].filter(({ channel }) => channel === "answer");
  }

  get #answerLength(): number {
    return this.#answerTexts.reduce((sum, { text }) => sum + text.length, 0);
  }

  #of({ parentCallId, agent }: { readonly parentCallId?: string; readonly agent?: string }): RecordedMoments {
    return this.#calls.of(parentCallId, agent) ?? this.#own;
  }

  #acceptTextStart(payload: EventOf<"agent_token_start">["payload"]): void {
    const known = this.#texts.get(payload.artifactId);
    if (known && payload.restart) {
      known.text = "";
      for (const moments of [this.#of(known), this.#calls.only?.moments, this.#own])
        moments?.discard(payload.artifactId);
    }
    if (!known) this.#texts.set(payload.artifactId, { ...payload, text: "" });
  }

  #acceptText({ artifactId, text }: EventOf<"agent_token">["payload"]): void {
    const head = this.#texts.get(artifactId);
    if (!head) return;
    const before = this.#answerLength;
    head.text += text;
    if (head.channel === "branch") this.#of(head).say(head, text);
    if (head.channel !== "answer") return;
    const { moments, answerBefore } = this.#calls.only ?? { moments: this.#own, answerBefore: 0 };
    // After a restart, the text before the call is streamed again.
    const own = text.slice(Math.max(0, answerBefore - before));
    if (own !== "") moments.say(head, own);
  }

  #acceptPlan(steps: EventOf<"agent_plan">["payload"]["steps"]): void {
    const plan = steps.map(({ id, title, agent, dependencies, state }) => ({
      id,
      title,
      agent,
      dependencies: [...dependencies],
      state,
    }));
    const at = this.#plans.findIndex((known) => shapeOf(known) === shapeOf(plan));
    if (at < 0) this.#plans.push(plan);
    else this.#plans[at] = plan;
  }

  #acceptAnswer(payload: EventOf<"approval_answered">["payload"]): void {
    const { approvalId, decision, text, arguments: given, always } = payload;
    const asked = this.#asked.get(approvalId);
    this.#asked.delete(approvalId);
    // The server answers what a session always allows.
    if (!asked || always) return;
    this.#answers.push({
      question: plainQuestion(asked.question),
      agent: asked.agent,
      tool: asked.tool,
      decision,
      text,
      arguments: given as RecordedAnswer["arguments"],
    });
  }
}

/** Identifies a plan, whatever its progress. */
function shapeOf(plan: RecordedPlan): string {
  return JSON.stringify(plan.map(({ state: _, ...step }) => step));
}
