import { type Artifact, type Json, Trace } from "@parley/a2a";
import type { Model, ModelEvent, ModelMessage, ToolCall } from "@parley/models";
import { ModelError } from "@parley/models";
import { Conversation } from "./conversation.ts";
import { decideCall, type ReadyDecision } from "./decide-call.ts";
import type { EndedCall, ExecutionEvent } from "./execution-event.ts";
import { FileAllowance } from "./file-allowance.ts";
import { inParallel } from "./in-parallel.ts";
import { TurnSpan, tracedCall } from "./loop-spans.ts";
import { recordedCall, type Step, type StepRecord } from "./step.ts";
import type { ToolBox, WaitingCall } from "./tool-box.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const NONE: ReadonlySet<string> = new Set();

/** What one task may use. */
export interface LoopLimits {
  readonly steps: number;
  readonly seconds: number;
  readonly tokens: number;
  /** Calls at once. */
  readonly parallel: number;
}

export interface LoopSetting {
  readonly model: Model;
  readonly system: string;
  /** What was said before, and at last what is asked. */
  readonly messages: readonly ModelMessage[];
  readonly toolBox: ToolBox;
  readonly record: StepRecord;
  readonly limits: LoopLimits;
  readonly thinking: boolean;
  /** If an earlier execution was cut short by a crash: the calls that it may have begun. */
  readonly interrupted?: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
  /** What the task has already. */
  readonly artifacts?: readonly Artifact[] | undefined;
  /** Beneath which turns and calls are traced. */
  readonly trace?: Trace | undefined;
  /** Takes out what was said to the agent since the last look. */
  incoming(): Promise<readonly string[]>;
}

/** Hears what happens, one event at a time; the work goes on when it resolves. Not a generator, which costs every token more. */
export type Tell = (event: ExecutionEvent) => Promise<unknown>;

/** Model turn, tool calls in parallel, results, next turn, until the work is done, a person is asked or a limit is met. */
export class AgentLoop {
  readonly #setting: LoopSetting;
  readonly #conversation: Conversation;
  readonly #began = performance.now();
  readonly #deadline: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #trace: Trace;
  readonly #allowance: FileAllowance;

  constructor(setting: LoopSetting) {
    this.#setting = setting;
    this.#conversation = new Conversation(setting.messages, setting.record.steps);
    // A timer takes whole milliseconds, and not any number of them.
    const milliseconds = Math.min(Math.ceil(setting.limits.seconds * 1_000), LONGEST_TIMER_MS);
    this.#deadline = AbortSignal.timeout(milliseconds);
    this.#trace = setting.trace ?? Trace.from(undefined);
    this.#allowance = new FileAllowance(setting.artifacts);
    this.#signal = AbortSignal.any([setting.signal, this.#deadline]);
  }

  /** Works, and tells what happens. Only an abort from outside is thrown; all else that goes wrong is an event. */
  async run(tell: Tell): Promise<void> {
    try {
      await this.#open(tell);
      while (await this.#goesOn()) {
        if (this.#conversation.openCalls.length > 0) {
          if (await this.#makeCalls(tell)) return;
          continue;
        }
        await this.#takeTurn(tell);
      }
      const { usage } = this.#conversation;
      await tell({ type: "complete", durationMs: performance.now() - this.#began, usage });
    } catch (error) {
      this.#setting.signal.throwIfAborted();
      await tell({ type: "error", message: this.#messageOf(error) });
    }
  }

  /** Records at once what was said to the agent during its calls, which its next turn hears. */
  hear(said: string): Promise<void> {
    return this.#note({ said });
  }

  async #goesOn(): Promise<boolean> {
    if (this.#conversation.openCalls.length > 0) return true;
    await this.#hear();
    return !this.#conversation.isDone;
  }

  async #hear(): Promise<void> {
    for (const said of await this.#setting.incoming()) await this.#note({ said });
  }

  // What a crash cut in half was already delivered: it is taken back, and the recorded text stands.
  async #open(tell: Tell): Promise<void> {
    const { interrupted, record, toolBox } = this.#setting;
    const resumed = interrupted !== undefined;
    const troubles = toolBox.troubles().map((trouble) => `⚠️ ${trouble}\n\n`);
    const opening = record.steps.length === 0 || resumed ? troubles.join("") : "";
    if (resumed) await tell({ type: "text-restart", text: opening + this.#conversation.text });
    else if (opening) await tell({ type: "text", text: opening });
  }

  async #takeTurn(tell: Tell): Promise<void> {
    this.#checkLimits();
    const { model, system } = this.#setting;
    const turn = new TakenTurn();
    const span = new TurnSpan(this.#trace, model.name, () => ({
      system,
      messages: this.#conversation.messages,
    }));
    try {
      for await (const event of this.#startTurn()) {
        if (event.type !== "tool-call" && event.type !== "end") await tell(event);
        turn.add(event);
      }
      span.ended(turn);
    } catch (error) {
      span.failed(error);
      throw error;
    }
    await this.#endTurn(turn);
  }

  #startTurn(): AsyncIterable<ModelEvent> {
    const { model, system, toolBox, thinking } = this.#setting;
    const tools = toolBox
      .tools()
      .filter(({ approval }) => approval !== "never")
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const { messages } = this.#conversation;
    return model.turn({ system, messages, tools, thinking }, this.#signal);
  }

  async #endTurn({ text, calls: made, end }: TakenTurn): Promise<void> {
    const calls: ToolCall[] = [];
    for (const call of made) calls.push(this.#named(call, calls));
    const { usage = {}, echo } = end ?? {};
    const step: Step = {
      turn: { text, calls: calls.map(recordedCall), usage: { ...usage }, ...(echo && { echo }) },
    };
    // Without a call, nothing is done that must not be done twice: it may be committed with the end of the task.
    const tools = this.#setting.toolBox.tools();
    const isNoted = (call: ToolCall) =>
      tools.some(({ name, notesBeginning }) => notesBeginning && name === call.tool);
    if (calls.every(isNoted)) this.#noteLater(step);
    else await this.#note(step);
  }

  /** Makes the open calls; true means that a person has to be asked before work can go on. */
  async #makeCalls(tell: Tell): Promise<boolean> {
    const { toolBox, limits, interrupted = NONE } = this.#setting;
    const situation = { tools: toolBox.tools(), conversation: this.#conversation, interrupted };
    const ready: { call: ToolCall; decision: ReadyDecision }[] = [];
    const asking: { call: ToolCall; argumentsHash: string }[] = [];
    for (const call of this.#conversation.openCalls) {
      const decision = decideCall(call, situation);
      if ("ask" in decision) asking.push({ call, ...decision.ask });
      else ready.push({ call, decision });
    }
    for (const { call, decision } of ready) {
      const made = "run" in decision ? { ...call, arguments: decision.run } : call;
      await tell({ type: "tool-selected", call: made });
    }
    const isOnly = this.#conversation.hasOnlyCall;
    const returned = inParallel(ready, limits.parallel, async ({ call, decision }) => {
      const start = performance.now();
      const { id, tool } = call;
      const result =
        "run" in decision
          ? await tracedCall(this.#trace, { id, tool, arguments: decision.run, isOnly }, (request) =>
              toolBox.call(request, this.#signal),
            )
          : decision.end;
      return { ...result, id, tool, durationMs: performance.now() - start };
    });
    let waiting: WaitingCall | undefined;
    for await (const result of returned) {
      // What was withdrawn from outside is no outcome: the call is still open when the work goes on.
      if (this.#setting.signal.aborted) continue;
      if (result.outcome === "waiting") waiting ??= result;
      else await this.#end(result, tell);
    }
    this.#setting.signal.throwIfAborted();
    this.#deadline.throwIfAborted();
    if (waiting) {
      const { outcome: _, ...asked } = waiting;
      await tell({ type: "input-needed", ...asked });
      return true;
    }
    const [next] = asking;
    if (!next) return false;
    await this.#ask(next.call, next.argumentsHash, tell);
    return true;
  }

  async #end({ files: made = [], ...ended }: EndedCall, tell: Tell): Promise<void> {
    const { files, notes } = this.#allowance.take(made);
    const result = { ...ended, text: [ended.text, ...notes].join("\n") };
    const { id, tool, outcome, text, answers, usage } = result;
    const more = { ...(answers && { answers }), ...(usage && { usage: { ...usage } }) };
    const step: Step = { outcome: { id, tool, outcome, text, ...more } };
    // In the same moment as the outcome: so both are committed, or neither is and the call is not done.
    const told = files.length > 0 ? tell({ type: "tool-files", callId: id, files }) : undefined;
    // Nothing comes after an answer but the end of the task.
    if (answers) this.#noteLater(step);
    else await this.#note(step);
    await told;
    await tell({ type: "tool-result", result });
  }

  async #ask(
    { id, tool, arguments: given = {} }: ToolCall,
    argumentsHash: string,
    tell: Tell,
  ): Promise<void> {
    // What was said until now is no answer to what is asked now.
    await this.#hear();
    if (this.#conversation.unanswered?.id !== id) await this.#note({ asked: { id, argumentsHash } });
    const reason = `${tool} changes something, and asks first.`;
    const request = { id, tool, arguments: given as Json, argumentsHash, reason };
    await tell({ type: "approval-needed", request });
  }

  // Some providers count their calls anew in each turn.
  #named(call: ToolCall, others: readonly ToolCall[]): ToolCall {
    const taken =
      call.id === "" || others.some(({ id }) => id === call.id) || this.#conversation.knows(call.id);
    return taken ? { ...call, id: `${call.id}.${this.#conversation.turns}.${others.length}` } : call;
  }

  #checkLimits(): void {
    const { steps, tokens } = this.#setting.limits;
    const { turns, usage } = this.#conversation;
    if (turns >= steps) throw new LimitError(`It took more than ${steps} steps`);
    const used = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
    if (used >= tokens) throw new LimitError(`It took more than ${tokens} tokens`);
  }

  /** Resolves when the step is committed. */
  #note(step: Step): Promise<void> {
    const committed = this.#setting.record.add(step);
    this.#conversation.apply(step);
    return committed;
  }

  /** The step is committed with what comes next. */
  #noteLater(step: Step): void {
    this.#setting.record.addLater(step);
    this.#conversation.apply(step);
  }

  #messageOf(error: unknown): string {
    if (this.#deadline.aborted)
      return `It took longer than ${this.#setting.limits.seconds} s, which is the agent's limit`;
    if (error instanceof ModelError || error instanceof LimitError) return error.message;
    throw error;
  }
}

/** What a model said in one turn. */
class TakenTurn {
  text = "";
  readonly calls: ToolCall[] = [];
  end: Extract<ModelEvent, { type: "end" }> | undefined;

  add(event: ModelEvent): void {
    if (event.type === "text") this.text += event.text;
    else if (event.type === "tool-call") this.calls.push(event.call);
    else if (event.type === "end") this.end = event;
  }
}

/** The agent's own limit was met. */
class LimitError extends Error {
  constructor(what: string) {
    super(`${what}, which is the agent's limit`);
  }
}
