import { type Event, HttpAgent, type Interrupt, type Message } from "@ag-ui/client";
import { expect, vi } from "vitest";

/** How a stream ended, as the client understood it. */
export interface StreamResult {
  readonly events: readonly Event[];
  readonly outcome: "success" | "interrupt" | "cancelled" | "error" | undefined;
  readonly interrupts: readonly Interrupt[];
}

/** The real client, which is given frames as if they came from a server; whatever it rejects or warns of fails the test. */
export class FrameClient {
  readonly agent: HttpAgent;
  #frames = "";

  constructor(threadId: string, said: Message) {
    this.agent = new HttpAgent({
      ...{ url: "http://nowhere.invalid/", threadId, initialMessages: [said] },
      fetch: async () => new Response(this.#frames, { headers: { "content-type": "text/event-stream" } }),
    });
  }

  /** All its messages of one run that are the answer. */
  text(runId: string): string {
    const answers = this.agent.messages.filter(({ id }) => id === `${runId}-answer`);
    expect(answers.length).toBeLessThanOrEqual(1);
    const [answer] = answers;
    return typeof answer?.content === "string" ? answer.content : "";
  }

  async hear(frames: string): Promise<StreamResult> {
    this.#frames = frames;
    const warnings: unknown[] = [];
    const warn = vi.spyOn(console, "warn").mockImplementation((...said) => void warnings.push(said));
    const events: Event[] = [];
    let outcome: StreamResult["outcome"];
    let interrupts: readonly Interrupt[] = [];
    const resume = this.agent.pendingInterrupts.map(({ id }) => ({
      ...{ interruptId: id, status: "resolved" as const, payload: true },
    }));
    try {
      await this.agent.runAgent(resume.length > 0 ? { resume } : {}, {
        onEvent: ({ event }) => void events.push(event as Event),
        onRunErrorEvent: () => {
          outcome = "error";
        },
        onRunFinishedEvent: (finished) => {
          outcome = finished.outcome;
          if (finished.outcome === "interrupt") interrupts = finished.interrupts;
          // A client would take it for one of its own tools, and answer it.
          if (finished.outcome === "success") expect(finished.pendingToolCallIds).toEqual([]);
        },
      });
    } finally {
      warn.mockRestore();
    }
    expect(warnings).toEqual([]);
    return { events, outcome, interrupts };
  }
}
