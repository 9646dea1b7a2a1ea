import type { SessionEvent } from "@parley/sessions";
import { afterAll, beforeAll, expect } from "vitest";
import { ApiServer } from "../../../packages/server/src/api/testing/api-server.ts";
import { AiChat, type AiChatOptions, textOf } from "./ai-chat.ts";

const ANN = { owner: "ann", workspace: "default" };

/** A text event of an agent. */
export const says = (runId: string, text: string): SessionEvent => {
  return { type: "agent_token", runId, artifactId: "a", text };
};
/** The end of its run. */
export const completes = (runId: string, content: string): SessionEvent => {
  return { type: "agent_complete", runId, state: "completed", messageId: `${runId}-answer`, content };
};
/** The session of a chat's last answer. */
export const sessionOf = (chat: AiChat) => chat.last.metadata?.session;

/** The API with AI SDK chats whose agents are scripted by the test; shared by all tests of a file. */
export function scriptedChats() {
  const ending = new AbortController();
  let server: ApiServer;
  beforeAll(async () => {
    server = await ApiServer.start({}, undefined, {
      identityOf: ({ headers }) => {
        const identity = { ...ANN, name: "Ann", role: "owner" } as const;
        return headers["x-test-ends"] ? { ...identity, ended: ending.signal } : identity;
      },
    });
  });
  afterAll(() => server.stop());

  const url = () => server.url;
  const chatAt = (options: AiChatOptions = {}, path = "/ai") => new AiChat(`${server.url}${path}`, options);
  const stateOf = (id: string) => server.sessions.state(ANN, id);
  const contents = async (id = "") => (await stateOf(id)).messages.map(({ content }) => content);
  const bringsTo = (sessionId: string, runId: string, events: SessionEvent[]) =>
    server.brings(sessionId, runId, events);

  /** The active run of a chat, in any of its sessions. */
  const underWay = async ({ id }: AiChat) => {
    const find = async () =>
      (await server.sessions.runs(ANN, { limit: 10 })).find(
        ({ sessionId, completedAt }) => sessionId.startsWith(id) && completedAt === undefined,
      );
    await expect.poll(find).toBeDefined();
    const { sessionId = "", id: runId = "" } = (await find()) ?? {};
    return { sessionId, runId, brings: (events: SessionEvent[]) => bringsTo(sessionId, runId, events) };
  };

  /** Performs a chat action and answers it. */
  const answered = async (chat: AiChat, done: Promise<void>, text: string) => {
    const run = await underWay(chat);
    await run.brings([says(run.runId, text), completes(run.runId, text)]);
    await done;
    expect([chat.status, chat.error?.message]).toEqual(["ready", undefined]);
    expect(textOf(chat.last)).toBe(text);
  };
  const ask = (chat: AiChat, text: string, answer: string) =>
    answered(chat, chat.sendMessage({ text }), answer);

  /** A chat with this many answered messages. */
  const chatOf = async (messages: readonly string[]) => {
    const chat = chatAt();
    for (const message of messages) await ask(chat, message, message.toUpperCase());
    return chat;
  };

  /** A chat that was stopped after this partial answer, and its run, which continues. */
  const stopped = async (text: string, options: AiChatOptions = {}) => {
    const chat = chatAt(options);
    const sent = chat.sendMessage({ text: "one" });
    const run = await underWay(chat);
    await run.brings([says(run.runId, text)]);
    await expect.poll(() => chat.messages.length === 2 && textOf(chat.last)).toBe(text);
    await chat.stop();
    await sent;
    return { chat, ...run };
  };

  /** Posts a raw body. */
  const posted = (body: object) =>
    fetch(`${server.url}/ai`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify(body),
    });

  /** Calls the API itself. */
  const rest: ApiServer["ask"] = (...asked) => server.ask(...asked);

  return {
    ...{ url, chatAt, stateOf, contents, bringsTo, underWay, answered, ask, chatOf, stopped, posted, rest },
    /** A request with the header `X-Test-Ends` loses access. */
    ends: () => ending.abort(),
  };
}
