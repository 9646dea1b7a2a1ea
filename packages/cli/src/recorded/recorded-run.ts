import type { DomainEvent, EventOf } from "@parley/client";
import { RecordedCalls } from "./recorded-calls.ts";
import { plainQuestion, RecordedMoments } from "./recorded-moments.ts";
import type { RecordedAnswer, RecordedPlan, RecordedTurn } from "./recording.ts";

/** The agent that plans and delegates; it is what is tested, so it is never recorded as an agent. */
export const SUPERVISOR = "supervisor";

type Text = EventOf<"agent_token_start">["payload"] & { said: string };
type Asked = EventOf<"approval_requested">["payload"];
type Outcome = Pick<RecordedTurn, "answers" | "plans" | "calls" | "does" | "state" | "reason" | "text">;

/** What one run came to, gathered from its events. */
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

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The model that answered, where that was told. */
  get model(): string | undefined {
    return this.#model;
  }

  /** What is asked and not answered yet. */
  get openQuestions(): readonly Asked[] {
    return [...this.#asked.values()];
  }

  accept({ type, payload }: DomainEvent): void {
    switch (type) {
      case "agent_token_start":
        this.#textBegins(payload);
        break;
      case "agent_token":
        this.#says(payload);
        break;
      case "agent_tool_call":
        if (!this.#isSupervisor || !this.#calls.begin(payload, this.#answerLength))
          this.#of(payload).call(payload);
        break;
      case "agent_tool_result":
        if (!this.#calls.end(payload)) this.#of(payload).ended(payload);
        break;
      case "agent_status":
        if (payload.text !== undefined) this.#calls.hear(payload.text);
        break;
      case "agent_artifact":
        this.#of(payload).bring(payload);
        break;
      case "agent_plan":
        this.#planned(payload.steps);
        break;
      case "approval_requested":
        this.#asked.set(payload.approvalId, payload);
        this.#of(payload).ask(payload);
        break;
      case "approval_answered":
        this.#answered(payload);
        break;
      case "agent_complete": {
        const { state, content, reason, usage } = payload;
        this.#end = { state, ...(reason !== undefined && { reason }), text: content };
        if (typeof usage?.model === "string") this.#model = usage.model;
        break;
      }
      case "agent_cancelled":
        this.#end = { state: "cancelled", reason: payload.reason, text: payload.content };
        break;
      default:
    }
  }

  /** What it came to; of one that is not over, so far. */
  outcome(): Outcome {
    const answerId = this.#answerTexts[0]?.artifactId;
    const calls = this.#calls.recorded(this.#plans, answerId);
    const does = this.#isSupervisor ? [] : this.#own.moments(answerId);
    return {
      ...(this.#answers.length > 0 && { answers: this.#answers }),
      ...(this.#plans.length > 0 && { plans: this.#plans }),
      ...(calls.length > 0 && { calls }),
      ...(does.length > 0 && { does }),
      ...(this.#end ?? { state: "cancelled", reason: "It has not ended", text: this.#answer }),
    };
  }

  get #isSupervisor(): boolean {
    return this.agent === SUPERVISOR;
  }

  get #answerTexts(): Text[] {
    return [...this.#texts.values()].filter(({ channel }) => channel === "answer");
  }

  get #answer(): string {
    return this.#answerTexts.map(({ said }) => said).join("");
  }

  /** Known without joining what was said, for it is asked with every word. */
  get #answerLength(): number {
    return this.#answerTexts.reduce((sum, { said }) => sum + said.length, 0);
  }

  #of({ parentCallId, agent }: { readonly parentCallId?: string; readonly agent?: string }): RecordedMoments {
    return this.#calls.of(parentCallId, agent) ?? this.#own;
  }

  #textBegins(payload: EventOf<"agent_token_start">["payload"]): void {
    const known = this.#texts.get(payload.artifactId);
    if (known && payload.restart) {
      known.said = "";
      for (const moments of [this.#of(known), this.#calls.only?.moments, this.#own])
        moments?.takeBack(payload.artifactId);
    }
    if (!known) this.#texts.set(payload.artifactId, { ...payload, said: "" });
  }

  #says({ artifactId, text }: EventOf<"agent_token">["payload"]): void {
    const head = this.#texts.get(artifactId);
    if (!head) return;
    const before = this.#answerLength;
    head.said += text;
    if (head.channel === "branch") this.#of(head).say(head, text);
    if (head.channel !== "answer") return;
    const { moments, answerBefore } = this.#calls.only ?? { moments: this.#own, answerBefore: 0 };
    // After a restart, what was said before the call comes once more.
    const its = text.slice(Math.max(0, answerBefore - before));
    if (its !== "") moments.say(head, its);
  }

  #planned(steps: EventOf<"agent_plan">["payload"]["steps"]): void {
    const plan = steps.map(({ id, title, agent, dependencies, state }) => ({
      id,
      title,
      ...(agent !== undefined && { agent }),
      dependencies: [...dependencies],
      state,
    }));
    const at = this.#plans.findIndex((known) => shapeOf(known) === shapeOf(plan));
    if (at < 0) this.#plans.push(plan);
    else this.#plans[at] = plan;
  }

  #answered({
    approvalId,
    decision,
    text,
    arguments: given,
    always,
  }: EventOf<"approval_answered">["payload"]) {
    const asked = this.#asked.get(approvalId);
    this.#asked.delete(approvalId);
    // What a session allows always is answered by the server.
    if (!asked || always) return;
    this.#answers.push({
      question: plainQuestion(asked.question),
      ...(asked.agent !== undefined && { agent: asked.agent }),
      ...(asked.tool !== undefined && { tool: asked.tool }),
      decision,
      ...(text !== undefined && { text }),
      ...(given !== undefined && { arguments: given as NonNullable<RecordedAnswer["arguments"]> }),
    });
  }
}

/** What makes a plan this one, however far it is. */
function shapeOf(plan: RecordedPlan): string {
  return JSON.stringify(plan.map(({ state: _, ...step }) => step));
}
