import { callIdentity, type RecordedSessionEvent } from "@parley/sessions";
import type { ToolCall } from "../schemas/session-schemas.ts";

interface RunTimes {
  readonly startedAt: number;
  readonly completedAt?: number;
  readonly calls: Map<string, ToolCall>;
}

/** What a session's events have beyond its state: the times of messages and runs, and the tool calls of runs. */
export class Timeline {
  readonly #messages = new Map<string, number>();
  readonly #runs = new Map<string, RunTimes>();
  #last = 0;

  add({ at, event }: RecordedSessionEvent): void {
    this.#last = at;
    switch (event.type) {
      case "user_message":
      case "agent_message":
        this.#messages.set(event.messageId, at);
        break;
      case "agent_start":
        this.#runs.set(event.runId, { startedAt: at, calls: new Map() });
        break;
      case "agent_tool_call": {
        const { callId: id, tool: name, arguments: given } = event;
        this.#runs
          .get(event.runId)
          ?.calls.set(callIdentity(event), { id, name, ...(given !== undefined && { arguments: given }) });
        break;
      }
      case "agent_tool_result": {
        const calls = this.#runs.get(event.runId)?.calls;
        const call = calls?.get(callIdentity(event));
        const { outcome, text, result = text } = event;
        if (call)
          calls?.set(callIdentity(event), { ...call, outcome, ...(result !== undefined && { result }) });
        break;
      }
      case "agent_complete":
      case "agent_cancelled": {
        const run = this.#runs.get(event.runId);
        if (run) this.#runs.set(event.runId, { ...run, completedAt: at });
        if (event.messageId !== undefined) this.#messages.set(event.messageId, at);
        break;
      }
      default:
        break;
    }
  }

  /** Whether these events have the message. */
  hasMessage(messageId: string): boolean {
    return this.#messages.has(messageId);
  }

  messageAt(messageId: string): number {
    return this.#messages.get(messageId) ?? this.#last;
  }

  run(runId: string): { readonly startedAt: number; readonly completedAt?: number } | undefined {
    return this.#runs.get(runId);
  }

  /** Undefined where the run called none, or started before these events. */
  toolCalls(runId: string): ToolCall[] | undefined {
    const calls = this.#runs.get(runId)?.calls;
    return calls && calls.size > 0 ? [...calls.values()] : undefined;
  }
}
