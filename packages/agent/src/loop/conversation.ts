import type { ModelMessage, ModelUsage, ToolCall, ToolOutcome, TurnEcho } from "@parley/models";
import type { Step } from "./step.ts";

/** An answer to the question whether a call may be made. */
export interface Answer {
  readonly approved: boolean;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly note?: string | undefined;
}

/** Where an agent's work stands, as its steps tell: the same steps always lead here. */
export class Conversation {
  readonly #messages: ModelMessage[];
  readonly #outcomes = new Map<string, ToolOutcome>();
  readonly #answers = new Map<string, Answer>();
  readonly #asked = new Map<string, string>();
  /** What the user said while calls were open. */
  readonly #waiting: ModelMessage[] = [];
  #calls: readonly ToolCall[] = [];
  #answered = false;
  text = "";
  turns = 0;
  usage: ModelUsage = {};

  constructor(messages: readonly ModelMessage[], steps: readonly Step[] = []) {
    this.#messages = [...messages];
    for (const step of steps) this.apply(step);
  }

  apply(step: Step): void {
    if ("turn" in step) this.#applyTurn(step.turn);
    else if ("outcome" in step) this.#applyOutcome(step.outcome);
    else if ("asked" in step) this.#asked.set(step.asked.id, step.asked.argumentsHash);
    else if ("answered" in step) this.#answers.set(step.answered.id, step.answered);
    else this.#applySaid(step.said);
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /** The calls of the last turn that have no outcome yet. */
  get openCalls(): readonly ToolCall[] {
    return this.#calls.filter(({ id }) => !this.#outcomes.has(id));
  }

  /** The open calls that may have been made: all but those that a person did not allow so far. */
  get begunCalls(): readonly ToolCall[] {
    return this.openCalls.filter(
      ({ id }) => !this.#asked.has(id) || this.#answers.get(id)?.approved === true,
    );
  }

  /** Whether the last turn asked for nothing more, or its only call was the answer: the work is done. */
  get isDone(): boolean {
    if (this.#answered) return this.#messages.at(-1)?.role === "tool";
    return this.turns > 0 && this.#calls.length === 0 && this.#messages.at(-1)?.role === "assistant";
  }

  /** All calls of this tool so far, in order. */
  callsOf(tool: string): readonly ToolCall[] {
    const made = this.#messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
    return made.filter((call) => call.tool === tool);
  }

  /** Whether the last turn had just one call. */
  get hasOnlyCall(): boolean {
    return this.#calls.length === 1;
  }

  /** Whether a call had this id. */
  knows(callId: string): boolean {
    return this.#outcomes.has(callId) || this.#calls.some(({ id }) => id === callId);
  }

  answerTo(callId: string): Answer | undefined {
    return this.#answers.get(callId);
  }

  /** The call that a person was asked about and has not answered. */
  get unanswered(): { readonly id: string; readonly argumentsHash: string } | undefined {
    for (const [id, argumentsHash] of this.#asked) {
      if (!this.#answers.has(id) && !this.#outcomes.has(id)) return { id, argumentsHash };
    }
    return undefined;
  }

  #applyTurn({ text, calls, usage, echo }: Extract<Step, { turn: unknown }>["turn"]): void {
    this.turns++;
    this.#answered = false;
    this.text += text;
    this.usage = sum(this.usage, usage);
    this.#calls = calls.map(({ arguments: given, ...call }) => ({ ...call, arguments: given }));
    const kept = echo === undefined ? {} : { echo: echo as TurnEcho };
    this.#messages.push({ role: "assistant", text, calls: this.#calls, ...kept });
  }

  // The model gets the outcomes of a turn together, in the order of its calls, whichever was there first.
  #applyOutcome({
    id,
    tool,
    outcome,
    text,
    answers,
    usage = {},
  }: Extract<Step, { outcome: unknown }>["outcome"]): void {
    this.#outcomes.set(id, { id, tool, failed: outcome !== "succeeded", text });
    this.usage = sum(this.usage, usage);
    if (this.openCalls.length > 0) return;
    this.#answered = answers === true && this.#calls.length === 1;
    const outcomes = this.#calls.flatMap((call) => this.#outcomes.get(call.id) ?? []);
    this.#messages.push({ role: "tool", outcomes }, ...this.#waiting.splice(0));
    this.#calls = [];
  }

  // Providers refuse anything between calls and their outcomes.
  #applySaid(text: string): void {
    const place = this.openCalls.length > 0 ? this.#waiting : this.#messages;
    place.push({ role: "user", text });
  }
}

function sum(one: ModelUsage, other: ModelUsage): ModelUsage {
  const total: Record<string, number> = { ...one };
  for (const [name, amount] of Object.entries(other)) total[name] = (total[name] ?? 0) + amount;
  return total;
}
