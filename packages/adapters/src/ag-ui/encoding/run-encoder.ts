import { EventType, type Interrupt, type Message } from "@ag-ui/core";
import type { EventOf, SessionEvent } from "@parley/sessions";
import { interruptOf } from "../interrupts.ts";
import type { StateEncoder } from "./state-encoder.ts";
import { type EventSink, type StreamEnding, SubAgentEncoder } from "./sub-agent-encoder.ts";
import { TextMessageEncoder } from "./text-message-encoder.ts";
import { ToolCallEncoder } from "./tool-call-encoder.ts";

/** How a run ended. */
export type RunOutcome = EventOf<"agent_complete"> | EventOf<"agent_cancelled">;

/** Encodes one run as AG-UI events; all ids follow from the recorded events and their order. */
export class RunEncoder {
  readonly runId: string;
  readonly #sink: EventSink;
  readonly #state: StateEncoder;
  readonly #calls: ToolCallEncoder;
  readonly #agents: SubAgentEncoder;
  readonly #answer: TextMessageEncoder;
  /** By artifact: all artifacts of the answer share one text; undefined: the text is sent when it has ended. */
  readonly #texts = new Map<string, TextMessageEncoder | undefined>();
  readonly #plans = new Map<string, string>();
  readonly #asked = new Map<string, EventOf<"approval_requested">>();
  readonly #files = new Map<string, string>();
  #ending: RunOutcome | undefined;

  constructor(runId: string, sink: EventSink, state: StateEncoder) {
    this.runId = runId;
    this.#sink = sink;
    this.#state = state;
    this.#calls = new ToolCallEncoder(runId, sink);
    this.#agents = new SubAgentEncoder(runId, this.#calls, sink);
    this.#answer = new TextMessageEncoder({ id: `${runId}-answer`, kind: "text" }, sink);
  }

  get ending(): RunOutcome | undefined {
    return this.#ending;
  }

  /** The run's messages as the client has them. */
  get messages(): readonly Message[] {
    const texts = [...new Set(this.#texts.values())].filter((text) => text !== this.#answer);
    const messages = [...texts, this.#answer].flatMap((text) => text?.message ?? []);
    return [...this.#calls.messages, ...messages];
  }

  /** The questions that wait for a person. */
  get interrupts(): readonly Interrupt[] {
    return [...this.#asked.values()].map((asked) => {
      const whose = this.#agents.subAgentOf(asked);
      const toolCallId = asked.tool === undefined ? undefined : this.#calls.openOf(asked.tool, whose);
      return interruptOf(asked, { ...whose, toolCallId });
    });
  }

  accept(event: SessionEvent): void {
    switch (event.type) {
      case "agent_token_start":
        this.#begin(event);
        break;
      case "agent_token":
        this.#append(event);
        break;
      case "agent_token_end":
        this.#endText(event);
        break;
      case "agent_tool_call":
        this.#calls.call(event, this.#agents.subAgentOf(event));
        break;
      case "agent_tool_result":
        this.#calls.result(event, this.#agents.subAgentOf(event));
        this.#agents.ended(event);
        break;
      case "agent_plan":
        this.#state.change(event);
        break;
      case "agent_status":
        this.#state.report(event);
        break;
      case "agent_artifact":
        this.#show(event);
        break;
      case "approval_requested":
        this.#asked.set(event.approvalId, event);
        break;
      case "approval_answered":
        this.#answered(event);
        break;
      case "agent_complete":
      case "agent_cancelled":
        this.#end(event);
    }
  }

  /** Closes everything because the stream ends before the run does. */
  suspend(interrupts: readonly Interrupt[]): void {
    for (const text of new Set([this.#answer, ...this.#texts.values()])) text?.settle();
    const interruptIds = Map.groupBy(interrupts, ({ subagentRunId = "" }) => subagentRunId);
    this.#endStream({
      type: "suspended",
      interruptIds: new Map([...interruptIds].map(([agent, asked]) => [agent, asked.map(({ id }) => id)])),
    });
  }

  /** Marks everything until now as sent, by another stream or in a snapshot. */
  markSent(): void {
    for (const text of new Set([this.#answer, ...this.#texts.values()])) text?.markSent();
    this.#agents.markSent();
    this.#state.markSent();
  }

  #begin(event: EventOf<"agent_token_start">): void {
    const { artifactId, restart } = event;
    if (restart && this.#plans.has(artifactId)) this.#plans.set(artifactId, "");
    this.#textOf(event)?.begin(artifactId, restart);
  }

  #textOf(event: EventOf<"agent_token_start">): TextMessageEncoder | undefined {
    const { artifactId, channel, agent } = event;
    if (this.#texts.has(artifactId)) return this.#texts.get(artifactId);
    if (channel === "answer" || channel === "plan") {
      const text = channel === "answer" ? this.#answer : undefined;
      this.#texts.set(artifactId, text);
      if (!text) this.#plans.set(artifactId, "");
      return text;
    }
    const kind = channel === "thinking" ? "reasoning" : "text";
    const head = {
      id: `${this.runId}-text-${this.#texts.size + 1}`,
      kind,
      ...this.#agents.subAgentOf(event),
    } as const;
    const text = new TextMessageEncoder({ ...head, ...(agent !== undefined && { name: agent }) }, this.#sink);
    this.#texts.set(artifactId, text);
    return text;
  }

  #append({ artifactId, text }: EventOf<"agent_token">): void {
    const plan = this.#plans.get(artifactId);
    if (plan !== undefined) this.#plans.set(artifactId, plan + text);
    else (this.#texts.get(artifactId) ?? this.#answer).append(artifactId, text);
  }

  #endText({ artifactId }: EventOf<"agent_token_end">): void {
    const text = this.#texts.get(artifactId);
    // The answer may go on in another artifact.
    if (text && text !== this.#answer) text.close();
    const plan = this.#plans.get(artifactId);
    if (plan !== undefined) this.#showActivity(artifactId, "parley.plan", { text: plan }, {});
  }

  #show({ artifactId, name, parts, ...event }: EventOf<"agent_artifact">): void {
    const content = { artifactId, name, parts };
    this.#showActivity(artifactId, "parley.artifact", content, this.#agents.subAgentOf(event));
  }

  #showActivity(
    artifactId: string,
    activityType: string,
    content: Readonly<Record<string, unknown>>,
    whose: { readonly subagentRunId?: string },
  ): void {
    const key = `${activityType} ${artifactId}`;
    const messageId = this.#files.get(key) ?? `${this.runId}-shown-${this.#files.size + 1}`;
    this.#files.set(key, messageId);
    this.#sink.emit({ type: EventType.ACTIVITY_SNAPSHOT, messageId, activityType, content, ...whose });
  }

  #answered({ approvalId, decision, text, arguments: given, always }: EventOf<"approval_answered">): void {
    this.#asked.delete(approvalId);
    const value = { interruptId: approvalId, decision, text, arguments: given, always: always || undefined };
    this.#sink.emit({ type: EventType.CUSTOM, name: "parley.answered", value });
  }

  #end(ending: RunOutcome): void {
    this.#ending = ending;
    this.#asked.clear();
    for (const text of new Set(this.#texts.values())) if (text !== this.#answer) text?.settle();
    this.#answer.settle(ending.content);
    this.#calls.settle();
    if (ending.type === "agent_cancelled")
      this.#endStream({ type: "error", message: ending.reason, code: "cancelled" });
    else if (ending.state === "completed") this.#endStream({ type: "success" });
    else this.#endStream({ type: "error", message: ending.reason ?? "The run failed", code: "failed" });
  }

  #endStream(ending: StreamEnding): void {
    this.#agents.endAll(ending);
    this.#state.settle();
  }
}
