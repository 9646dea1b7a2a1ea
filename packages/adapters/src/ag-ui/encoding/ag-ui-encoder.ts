import {
  type Event,
  EventType,
  type Interrupt,
  type Message,
  PROTOCOL_VERSION,
  type TokenUsage,
} from "@ag-ui/core";
import { sseFrame } from "@parley/a2a";
import type { EventOf, PlanStep, RecordedSessionEvent } from "@parley/sessions";
import type { RunExit } from "../../followed-run.ts";
import { Problem } from "../../problem.ts";
import type { RunStreamEncoder } from "../../run-stream.ts";
import { RunEncoder, type RunOutcome } from "./run-encoder.ts";
import { StateEncoder } from "./state-encoder.ts";
import type { EventSink } from "./sub-agent-encoder.ts";

/** The run that a stream is about, and what the client has already. */
export interface EncodedThread {
  readonly threadId: string;
  /** The client's id of the run; the record has another. */
  readonly runId: string;
  readonly sessionId?: string | undefined;
  /** The record's run; without it there is only the history. */
  readonly run?: string | undefined;
  /** Where the session is a fork, because the client's history was not the record's. */
  readonly forkOf?: string | undefined;
  readonly has: readonly Message[];
  /** The messages that the client should have from before the run. */
  readonly history: readonly Message[];
  readonly state?: unknown;
  /** The client speaks AG-UI as it was before 1.0: an event or an outcome that it does not know would break its stream. */
  readonly isEarlier?: boolean;
  /** The plan from before the run. */
  readonly plan?: readonly PlanStep[] | undefined;
  /** Questions that are answered by now, also where the stream does not reach the answer. */
  readonly answered?: ReadonlySet<string>;
}

const SINCE_1_0: ReadonlySet<Event["type"]> = new Set([
  EventType.SUBAGENT_STARTED,
  EventType.SUBAGENT_FINISHED,
  EventType.SUBAGENT_ERROR,
]);

/** Encodes a run as events of AG-UI 1.0: pure, and the same for the same events. */
export class AgUiEncoder implements RunStreamEncoder, EventSink {
  readonly #about: EncodedThread;
  readonly #state: StateEncoder;
  readonly #before: RunEncoder[] = [];
  #run: RunEncoder | undefined;
  #pending: Event[] = [];

  constructor(about: EncodedThread, earlier: readonly RecordedSessionEvent[] = []) {
    this.#about = about;
    this.#state = new StateEncoder(this, about.state, { session: about.sessionId, plan: about.plan });
    if (about.run !== undefined) this.#run = new RunEncoder(about.run, this, this.#state);
    for (const { event } of earlier) this.#run?.accept(event);
    this.#run?.markSent();
    this.#pending = [];
  }

  readonly emit = (event: Event): void => {
    if (!this.#about.isEarlier || !SINCE_1_0.has(event.type)) this.#pending.push(event);
  };

  readonly emitMessages = (): void => {
    this.emit({ type: EventType.MESSAGES_SNAPSHOT, messages: this.#messages() });
  };

  begin(): string {
    const { threadId, runId, sessionId, run, forkOf } = this.#about;
    const metadata = { parley: { sessionId, runId: run } };
    this.emit({ type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION, metadata });
    if (sessionId !== undefined && sessionId !== threadId)
      this.emit({ type: EventType.CUSTOM, name: "parley.session", value: { sessionId, threadId, forkOf } });
    this.#emitHistory();
    this.emit({ type: EventType.STATE_SNAPSHOT, snapshot: this.#state.snapshot });
    this.#state.workOn();
    return this.#frames();
  }

  event({ event }: RecordedSessionEvent): string {
    if (event.type === "agent_start") this.#startRun(event);
    else this.#run?.accept(event);
    return this.#frames();
  }

  end(left: RunExit): string {
    const { threadId, runId } = this.#about;
    const finished = { type: EventType.RUN_FINISHED, threadId, runId } as const;
    const ending = this.#run?.ending;
    this.#state.settle();
    const interrupts = left === "waiting" ? this.#interrupts() : [];
    if (interrupts.length > 0) {
      this.#run?.suspend(interrupts);
      this.emit({ ...finished, outcome: { type: "interrupt", interrupts } });
    } else if (ending?.type === "agent_cancelled") {
      const isKnown = this.#about.isEarlier !== true;
      this.emit({ ...finished, ...(isKnown && { outcome: { type: "cancelled" } }) });
    } else if (ending?.state === "failed") {
      const message = ending.reason ?? "The run failed";
      this.emit({ type: EventType.RUN_ERROR, message, code: "run_failed", ...usageIn(ending) });
    } else if (this.#run && !ending) {
      return this.broken(new Problem("unavailable", "The run goes on: ask again"));
    } else {
      this.emit({ ...finished, ...this.#result(ending), outcome: { type: "success" } });
    }
    return this.#frames();
  }

  broken({ message, code }: Problem): string {
    this.emit({ type: EventType.RUN_ERROR, message, code });
    return this.#frames();
  }

  #interrupts(): Interrupt[] {
    const { answered } = this.#about;
    return (this.#run?.interrupts ?? []).filter(({ id }) => !answered?.has(id));
  }

  #startRun({ runId }: EventOf<"agent_start">): void {
    if (this.#run?.runId === runId) return;
    if (this.#run) this.#before.push(this.#run);
    this.#run = new RunEncoder(runId, this, this.#state);
    this.#state.clear();
  }

  /** Sends nothing where the client has it all, else all of it in the right order. */
  #emitHistory(): void {
    const { has } = this.#about;
    const messages = this.#messages();
    if (messages.length === has.length && messages.every((message, at) => isSame(message, has[at]))) return;
    // Clients append messages that are new to them.
    const ids = new Set(messages.map(({ id }) => id));
    const known = has.filter(({ id }) => ids.has(id));
    if (!known.every(({ id }, at) => messages[at]?.id === id))
      this.emit({ type: EventType.MESSAGES_SNAPSHOT, messages: [] });
    this.emit({ type: EventType.MESSAGES_SNAPSHOT, messages });
  }

  #messages(): Message[] {
    const runs = [...this.#before, ...(this.#run ? [this.#run] : [])];
    const sent = runs.flatMap((run) => run.messages);
    const ids = new Set(sent.map(({ id }) => id));
    return [...this.#about.history.filter(({ id }) => !ids.has(id)), ...sent];
  }

  #result(ending: EventOf<"agent_complete"> | undefined) {
    const { sessionId } = this.#about;
    const result = { sessionId, runId: this.#run?.runId, messageId: ending?.messageId };
    return { result, ...usageIn(ending) };
  }

  #frames(): string {
    const frames = this.#pending.map((event) => sseFrame(JSON.stringify(event))).join("");
    this.#pending = [];
    return frames;
  }
}

function isSame(one: Message, other: Message | undefined): boolean {
  return one === other || (other !== undefined && essence(one) === essence(other));
}

function essence(message: Message): string {
  const { id, role, content } = message;
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return JSON.stringify([id, role, content ?? "", calls.map((call) => [call.id, call.function.arguments])]);
}

function usageIn(ending: RunOutcome | undefined): { usage?: TokenUsage[] } {
  const used = ending?.type === "agent_complete" ? ending.usage : undefined;
  const { inputTokens, outputTokens, cachedTokens, model } = used ?? {};
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return {};
  return {
    usage: [
      {
        ...{ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
        ...(typeof model === "string" && { model }),
        ...(typeof cachedTokens === "number" && { cachedInputTokens: cachedTokens }),
      },
    ],
  };
}
