import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AnsweringServer, type Answers, answered } from "../openai/testing/answering-server.ts";
import { agUiClient } from "./ag-ui-client.ts";
import { aiSdkClient } from "./ai-sdk-client.ts";
import { openAiClient } from "./openai-client.ts";
import type { ClientMessage, ProtocolClient } from "./protocol-client.ts";
import { responsesClient } from "./responses-client.ts";

let server: AnsweringServer;
beforeAll(async () => {
  server = await AnsweringServer.start();
});
afterAll(() => server.api.stop());

const silent: Answers = () => [];
let count = 0;

/** A new user message with a unique text. */
const user = (content: string): ClientMessage => ({ id: randomUUID(), role: "user", content });

describe.each([
  ["OpenAI chat completions", openAiClient],
  ["OpenAI responses", responsesClient],
  ["AG-UI", agUiClient],
  ["AI SDK", aiSdkClient],
] as const)("a conversation of %s", (_, open) => {
  let client: ProtocolClient;
  let topic: string;
  beforeEach(() => {
    topic = `topic ${++count}`;
    server.answers = (runId, said) => answered(runId, `Re: ${said}`);
    client = open(server, randomUUID());
  });

  /** A conversation of so many turns; returns what the client has and the session. */
  const talked = async (turns: number, by = client) => {
    let messages: ClientMessage[] = [];
    let session = "";
    for (let turn = 1; turn <= turns; turn++) {
      messages = [...messages, user(`${topic}, turn ${turn}`)];
      const reply = await by.send(messages);
      expect(reply.answer.content).toBe(`Re: ${topic}, turn ${turn}`);
      messages = [...messages, reply.answer];
      session = reply.session;
    }
    return { messages, session };
  };
  const runs = async (session: string) => (await server.runs(session)).length;
  const contents = (messages: readonly ClientMessage[]) => messages.map(({ content }) => content);

  it("continues in its session", async () => {
    const { messages, session } = await talked(3);
    expect(await server.said(session)).toEqual(contents(messages));
    expect(await runs(session)).toBe(3);
  });

  it("replays the run of a request that comes again after the connection was cut", async () => {
    server.answers = silent;
    const asked = [user(topic)];
    const session = await client.cut(asked);
    expect(await client.cut(asked)).toBe(session);
    expect(await runs(session)).toBe(1);
    const [runId = ""] = await server.runs(session);
    // An answer that was written whole has reached its client, as far as a server can know.
    await server.unwatched();
    await server.api.brings(session, runId, answered(runId, "Late"));
    expect(await client.send(asked)).toMatchObject({ session, answer: { content: "Late" } });
    expect(await runs(session)).toBe(1);
  });

  it("starts one run for the same request sent three times at once", async () => {
    server.answers = silent;
    const asked = [user(topic)];
    const sessions = await Promise.all([1, 2, 3].map(() => client.cut(asked)));
    expect(new Set(sessions).size).toBe(1);
    expect(await runs(sessions[0] ?? "")).toBe(1);
  });

  it("forks where an earlier message was edited, and continues in the fork", async () => {
    const { messages, session } = await talked(2);
    const edited = [...messages.slice(0, 2), user(`${topic}, edited`)];
    const reply = await client.send(edited);
    expect(reply.session).not.toBe(session);
    const told = [...edited, reply.answer];
    expect(await server.said(reply.session)).toEqual(contents(told));
    const on = await client.send([...told, user("On")]);
    expect(on.session).toBe(reply.session);
    expect(await server.said(session)).toEqual(contents(messages));
  });

  it("forks where the history became shorter", async () => {
    const { messages, session } = await talked(3);
    const shorter = [...messages.slice(0, 2), user(`${topic}, instead`)];
    const reply = await client.send(shorter);
    expect(reply.session).not.toBe(session);
    expect(await server.said(reply.session)).toEqual(contents([...shorter, reply.answer]));
  });

  it("regenerates an answer in a fork, and continues there", async () => {
    const { messages, session } = await talked(2);
    server.answers = (runId, said) => answered(runId, `Again: ${said}`);
    const again = await client.regenerate(messages.slice(0, -1));
    expect(again.session).not.toBe(session);
    expect(again.answer.content).toBe(`Again: ${topic}, turn 2`);
    const told = [...messages.slice(0, -1), again.answer];
    const on = await client.send([...told, user("On")]);
    expect(on.session).toBe(again.session);
    expect(await server.said(on.session)).toEqual([...contents(told), "On", "Again: On"]);
    expect(await server.said(session)).toEqual(contents(messages));
  });

  it("forks a fork, and finds each of the three again by its history", async () => {
    const first = await talked(2);
    const branch = async (messages: readonly ClientMessage[], words: string) => {
      const asked = [...messages.slice(0, -2), user(`${topic}, ${words}`)];
      const { session, answer } = await client.send(asked);
      return { session, messages: [...asked, answer] };
    };
    const second = await branch(first.messages, "left");
    const third = await branch(second.messages, "right");
    expect(new Set([first.session, second.session, third.session]).size).toBe(3);
    for (const { session, messages } of [second, third, first]) {
      const on = await client.send([...messages, user("On")]);
      expect(on.session).toBe(session);
      expect(await server.said(session)).toEqual([...contents(messages), "On", "Re: On"]);
    }
  });

  it("records an unknown history in a new session", async () => {
    const told: ClientMessage[] = [
      user(`${topic}, elsewhere`),
      { id: randomUUID(), role: "assistant", content: "Answered elsewhere" },
    ];
    const reply = await client.send([...told, user("Here")]);
    expect(await server.said(reply.session)).toEqual([...contents(told), "Here", "Re: Here"]);
    expect(await runs(reply.session)).toBe(1);
  });

  it("passes an approval on to the agent once", async () => {
    server.answers = (runId) => [
      { type: "approval_requested", runId, approvalId: `${runId}-ask`, question: "May I?", tool: "delete" },
    ];
    const asked = [user(topic)];
    const { session, answer, asked: approval = "" } = await client.send(asked);
    const [runId = ""] = await server.runs(session);
    const history = [...asked, answer];
    const going = client.approve(history, approval);
    await server.decided(session, `${runId}-ask`).toBe("approved");
    await server.api.brings(session, runId, answered(runId, "Deleted"));
    expect(await going).toMatchObject({ session, answer: { content: "Deleted" } });
    expect(await client.approve(history, approval)).toMatchObject({
      session,
      answer: { content: "Deleted" },
    });
    expect(await runs(session)).toBe(1);
  });

  it("belongs to its user: the same name and history of another user are another session", async () => {
    const name = randomUUID();
    const [anns, bobs] = [open(server, name, "ann"), open(server, name, "bob")];
    const asked = [user(topic)];
    server.answers = silent;
    const [hers, his] = [await anns.cut(asked), await bobs.cut(asked)];
    expect(hers).not.toBe(his);
    expect(await anns.cut(asked)).toBe(hers);
  });
});

describe.each([
  ["AG-UI", agUiClient],
  ["AI SDK", aiSdkClient],
] as const)("a conversation of %s whose client trimmed its beginning", (_, open) => {
  it("continues in its session", async () => {
    server.answers = (runId, said) => answered(runId, `Re: ${said}`);
    const client = open(server, randomUUID());
    const [first, second] = [user("One"), user("Two")];
    const one = await client.send([first]);
    const two = await client.send([first, one.answer, second]);
    const three = await client.send([second, two.answer, user("Three")]);
    expect(three.session).toBe(one.session);
    expect(await server.said(one.session)).toEqual([
      "One",
      "Re: One",
      "Two",
      "Re: Two",
      "Three",
      "Re: Three",
    ]);
  });
});
