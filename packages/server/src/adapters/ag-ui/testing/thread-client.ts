import { randomUUID } from "node:crypto";
import { type Event, HttpAgent, type RunAgentParameters } from "@ag-ui/client";
import type { SessionEvent, SessionState } from "@parley/sessions";
import { expect } from "vitest";
import type { ApiServer } from "../../../api/testing/api-server.ts";

/** Whose sessions those of a `ThreadClient` are. */
export const ANN = { owner: "ann", workspace: "default" };

/** The real client at an API with scripted agents. */
export class ThreadClient {
  readonly agent: HttpAgent;
  readonly events: Event[] = [];
  readonly #server: ApiServer;
  /** The headers of the last answer. */
  headers = new Headers();

  constructor(server: ApiServer, threadId: string = randomUUID(), headers: Record<string, string> = {}) {
    this.#server = server;
    this.agent = new HttpAgent({
      ...{ url: `${server.url}/agui`, threadId, headers },
      fetch: async (url, request) => {
        const response = await fetch(url, request);
        this.headers = response.headers;
        return response;
      },
    });
  }

  get id(): string {
    return this.agent.threadId;
  }

  /** The session that the last answer was in. */
  get session(): string {
    return this.headers.get("x-session-id") ?? "";
  }

  get texts(): readonly unknown[] {
    return this.agent.messages.map(({ content }) => content);
  }

  state(): Promise<SessionState> {
    return this.#server.sessions.state(ANN, this.session);
  }

  /** What the session that it is in has, as texts. */
  async recorded(): Promise<readonly string[]> {
    return (await this.state()).messages.map(({ content }) => content);
  }

  run(parameters: RunAgentParameters = {}) {
    return this.agent.runAgent(parameters, { onEvent: ({ event }) => void this.events.push(event as Event) });
  }

  say(content: string, { id = randomUUID(), ...parameters }: RunAgentParameters & { id?: string } = {}) {
    this.agent.addMessage({ id, role: "user", content });
    return this.run(parameters);
  }

  /** Says something, and has it answered. */
  async hears(content: string, answer: string, parameters: RunAgentParameters & { id?: string } = {}) {
    this.headers = new Headers();
    const told = this.say(content, parameters);
    await this.answered(answer);
    await told;
  }

  /** The run that it follows now ends with this answer. */
  async answered(answer: string): Promise<string> {
    await expect.poll(() => this.session, { timeout: 60_000 }).not.toBe("");
    const runId = [...(await this.state()).runs.keys()].at(-1) ?? "";
    await this.#server.brings(this.session, runId, [
      start(runId),
      token(runId, answer),
      completed(runId, answer),
    ]);
    return runId;
  }

  resume(text: string) {
    return this.run({
      resume: this.agent.pendingInterrupts.map(({ id }) => {
        return { interruptId: id, status: "resolved" as const, payload: { text } };
      }),
    });
  }

  /** The recorded run for it, once it has started. */
  async begun(count = 1): Promise<string> {
    const runs = async () => [...((await this.#server.sessions.state(ANN, this.id)).runs.keys() ?? [])];
    await expect.poll(() => runs().catch(() => []), { timeout: 60_000 }).toHaveLength(count);
    return (await runs()).at(-1) ?? "";
  }

  types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }
}

export const start = (runId: string): SessionEvent => ({
  ...{ type: "agent_token_start", runId, artifactId: "a", channel: "answer" },
});
export const token = (runId: string, text: string): SessionEvent => ({
  ...{ type: "agent_token", runId, artifactId: "a", text },
});
export const asks = (runId: string, count: number): SessionEvent => ({
  ...{
    type: "approval_requested",
    runId,
    approvalId: `${runId}-ask-${count}`,
    question: `Question ${count}?`,
  },
});
export const completed = (runId: string, content: string): SessionEvent => ({
  ...{ type: "agent_complete", runId, state: "completed", messageId: `${runId}-answer`, content },
});
