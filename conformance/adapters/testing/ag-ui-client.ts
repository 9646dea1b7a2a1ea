import { randomUUID } from "node:crypto";
import { type Event, HttpAgent, type Interrupt, type Message, type RunAgentParameters } from "@ag-ui/client";
import { expect } from "vitest";

/** The outcome of a stream. */
export interface AgUiRun {
  readonly events: readonly Event[];
  readonly outcome: "success" | "interrupt" | "cancelled" | "error" | undefined;
  readonly interrupts: readonly Interrupt[];
}

/** The real client of AG-UI; its own verification of each event is on, as it always is. */
export class AgUiClient {
  readonly agent: HttpAgent;
  /** The headers of the last response. */
  headers = new Headers();

  constructor(url: string, { threadId = randomUUID() }: { readonly threadId?: string } = {}) {
    this.agent = new HttpAgent({
      ...{ url, threadId },
      fetch: async (to, request) => {
        const response = await fetch(to, request);
        this.headers = response.headers;
        return response;
      },
    });
  }

  get threadId(): string {
    return this.agent.threadId;
  }

  /** The main messages, without sub-agent activity. */
  get said(): readonly string[] {
    return this.agent.messages.flatMap(({ role, content, ...message }) => {
      const isMainMessage = role === "user" || (role === "assistant" && !("subagentRunId" in message));
      return isMainMessage && typeof content === "string" ? [`${role}: ${content}`] : [];
    });
  }

  /** The newest answer. */
  get answer(): string {
    const last = this.agent.messages.findLast(({ id }) => id.endsWith("-answer"));
    return typeof last?.content === "string" ? last.content : "";
  }

  say(
    content: Message["content"] & (string | readonly object[]),
    parameters: RunAgentParameters = {},
  ): Promise<AgUiRun> {
    this.agent.addMessage({ id: randomUUID(), role: "user", content } as Message);
    return this.run(parameters);
  }

  /** Runs the agent with the current messages until the stream ends, or until `until` is met and it disconnects. */
  async run(
    parameters: RunAgentParameters = {},
    until: (event: Event) => boolean = () => false,
  ): Promise<AgUiRun> {
    const events: Event[] = [];
    let outcome: AgUiRun["outcome"];
    let interrupts: readonly Interrupt[] = [];
    await this.agent.runAgent(parameters, {
      onEvent: ({ event }) => {
        events.push(event as Event);
        if (until(event as Event)) this.agent.abortRun();
      },
      onRunErrorEvent: () => {
        outcome = "error";
      },
      onRunFinishedEvent: (finished) => {
        outcome = finished.outcome;
        if (finished.outcome === "interrupt") interrupts = finished.interrupts;
        if (finished.outcome === "success") expect(finished.pendingToolCallIds).toEqual([]);
      },
    });
    return { events, outcome, interrupts };
  }

  /** Answers all interrupts of the previous run. */
  resume(payload: unknown, status: "resolved" | "cancelled" = "resolved"): Promise<AgUiRun> {
    const resume = this.agent.pendingInterrupts.map(({ id }) => {
      return { interruptId: id, status, ...(status === "resolved" && { payload }) };
    });
    return this.run({ resume });
  }
}

/** The events of one type. */
export function ofType<Type extends `${Event["type"]}`>(events: readonly Event[], type: Type) {
  return events.filter((event) => event.type === type) as Extract<Event, { type: Type }>[];
}
