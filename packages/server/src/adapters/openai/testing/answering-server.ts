import type { SessionEvent } from "@parley/sessions";
import { expect } from "vitest";
import { OpenStreams } from "../../../api/events/open-streams.ts";
import { ApiServer } from "../../../api/testing/api-server.ts";

/** What an agent does when it is asked; nothing: its run stays under way. */
export type Answers = (runId: string, said: string) => readonly SessionEvent[];

export const CHAT = "/v1/chat/completions";
export const RESPONSES = "/v1/responses";
const ANN = { owner: "ann", workspace: "default" };
/** Without a limit, open streams are not counted. */
const MAX_STREAMS = 1_000;

/** The words of an answer, and its end. */
export function answered(runId: string, content: string): readonly SessionEvent[] {
  return [
    { type: "agent_token_start", runId, artifactId: "a", channel: "answer" },
    { type: "agent_token", runId, artifactId: "a", text: content },
    { type: "agent_complete", runId, state: "completed", content, messageId: `${runId}-answer` },
  ];
}

/** The API with agents that answer by themselves; each counts how often it was asked. */
export class AnsweringServer {
  readonly api: ApiServer;
  readonly #streams: OpenStreams;
  answers: Answers = (runId) => answered(runId, `Answer ${++this.#count}`);
  #count = 0;

  private constructor(api: ApiServer, streams: OpenStreams) {
    this.api = api;
    this.#streams = streams;
    api.sessions.onCommitted((id, events) => {
      for (const event of events) if (event.type === "agent_start") void this.#answer(id, event.runId);
    });
  }

  static async start(): Promise<AnsweringServer> {
    const streams = new OpenStreams(MAX_STREAMS, MAX_STREAMS);
    const api = await ApiServer.start({}, undefined, { streams });
    for (const name of ["writer", "critic"])
      await api.ask("POST", "/api/v1/agents", { url: `http://127.0.0.1/${name}`, name });
    return new AnsweringServer(api, streams);
  }

  /** What was answered, and in which session. */
  async chat(messages: readonly unknown[], headers = {}, model = "supervisor") {
    const { status, headers: sent, json } = await this.api.ask("POST", CHAT, { model, messages }, headers);
    const text: string = json.choices?.[0].message.content ?? json.error.code;
    return { status, text, session: sent.get("x-session-id") ?? "" };
  }

  /** Sends a request, disconnects once the response starts, and returns its session. */
  async cut(path: string, body: object, headers = {}): Promise<string> {
    const hangUp = new AbortController();
    const response = await fetch(`${this.api.url}${path}`, {
      ...{ method: "POST", signal: hangUp.signal },
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ model: "supervisor", stream: true, ...body }),
    });
    hangUp.abort();
    return response.headers.get("x-session-id") ?? "";
  }

  /** Waits until the server has noticed that every client hung up. */
  async unwatched(): Promise<void> {
    await expect.poll(() => this.#streams.of(ANN), { timeout: 60_000 }).toBe(0);
  }

  /** What stands in a session. */
  async said(id: string): Promise<readonly string[]> {
    const { messages } = await this.api.sessions.state(ANN, id);
    return messages.map(({ content }) => content);
  }

  /** A session's runs, the first first. */
  async runs(id: string): Promise<readonly string[]> {
    return [...(await this.api.sessions.state(ANN, id)).runs.keys()];
  }

  /** What a person has answered to a question, once they have. */
  decided(id: string, question: string) {
    const decision = async () =>
      (await this.api.sessions.state(ANN, id)).approvals.get(question)?.answer?.decision;
    return expect.poll(decision, { timeout: 60_000 });
  }

  async #answer(id: string, runId: string): Promise<void> {
    // Another user's agents say nothing.
    const state = await this.api.sessions.state(ANN, id).catch(() => undefined);
    if (!state) return;
    const { messages, runs } = state;
    const said = messages.find((message) => message.id === runs.get(runId)?.messageId)?.content ?? "";
    const events = this.answers(runId, said);
    if (events.length > 0) await this.api.brings(id, runId, events);
  }
}
