import { randomUUID } from "node:crypto";
import type { Message } from "@ag-ui/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../../api/testing/api-server.ts";
import { ANN, asks, ThreadClient } from "./testing/thread-client.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server.stop());

const talked = async (...turns: readonly (readonly [string, string])[]) => {
  const client = new ThreadClient(server);
  for (const [said, answer] of turns) await client.hears(said, answer);
  return client;
};

const rewritten = (messages: readonly Message[], change: Readonly<Record<string, string>>): Message[] =>
  messages.map(
    (message) => ({ ...message, content: change[String(message.content)] ?? message.content }) as Message,
  );

it("an edited history is recorded completely, as the client sends it", async () => {
  const client = await talked(["One", "First"], ["Two", "Second"]);
  client.agent.setMessages(rewritten(client.agent.messages, { One: "One, edited" }));
  await client.hears("Three", "Third");
  expect(client.session).not.toBe(client.id);
  expect(await client.recorded()).toEqual(["One, edited", "First", "Two", "Second", "Three", "Third"]);
  const fork = client.session;
  await client.hears("Four", "Fourth");
  expect(client.session).toBe(fork);
  expect(client.texts).toEqual(await client.recorded());
});

it("unknown messages are recorded where the client has them, and the client continues in that fork", async () => {
  const client = await talked(["One", "First"]);
  client.agent.addMessage({ id: "aside", role: "user", content: "Said elsewhere" });
  client.agent.addMessage({ id: "aside-2", role: "assistant", content: "Answered elsewhere" });
  await client.hears("Two", "Second");
  const fork = client.session;
  expect(await client.recorded()).toEqual([
    "One",
    "First",
    "Said elsewhere",
    "Answered elsewhere",
    "Two",
    "Second",
  ]);
  await client.hears("Three", "Third");
  expect(client.session).toBe(fork);
  expect(client.texts).toEqual(await client.recorded());
  expect(client.types()).not.toContain("MESSAGES_SNAPSHOT");
});

it("a thread that starts with a conversation from elsewhere records it under the client's ids", async () => {
  const client = new ThreadClient(server);
  client.agent.addMessages([
    { id: "greeting", role: "assistant", content: "How can I help?" },
    { id: "elsewhere", role: "user", content: "Said elsewhere" },
  ]);
  await client.hears("Go", "Done");
  expect(client.session).toBe(client.id);
  await client.hears("On", "Further");
  expect(client.session).toBe(client.id);
  expect(client.texts).toEqual(await client.recorded());
  expect((await client.state()).messages.map(({ id }) => id)).toEqual(
    client.agent.messages.map(({ id }) => id),
  );
  expect(client.headers.get("x-parley-unused")).toBeNull();
});

it("an edited first message with a new id forks from the beginning", async () => {
  const client = await talked(["One", "First"], ["Two", "Second"]);
  client.agent.setMessages([]);
  await client.hears("One, other", "Other");
  expect(client.session).not.toBe(client.id);
  expect(await client.recorded()).toEqual(["One, other", "Other"]);
  await client.hears("Two, other", "More");
  expect(await client.recorded()).toEqual(["One, other", "Other", "Two, other", "More"]);
  const stranger = new ThreadClient(server, client.id);
  await stranger.hears("Three", "Third");
  // A client that has seen nothing of the thread does not contradict it.
  expect(stranger.session).toBe(client.id);
});

it("a repeated request replays the same run in a fork too, however late it comes", async () => {
  const client = await talked(["One", "First"], ["Two", "Second"]);
  const [first, answer] = client.agent.messages;
  const cut: Message[] = [
    first as Message,
    answer as Message,
    { id: randomUUID(), role: "user", content: "Other" },
  ];
  for (const history of [cut, [first as Message]]) {
    const runId = randomUUID();
    client.agent.setMessages(history);
    client.headers = new Headers();
    const told = client.run({ runId });
    const run = await client.answered("Once");
    await told;
    const fork = client.session;
    client.agent.setMessages(history);
    await client.run({ runId });
    expect(client.session).toBe(fork);
    expect(client.texts.at(-1)).toBe("Once");
    expect([...(await client.state()).runs.keys()]).toEqual([run]);
  }
  expect((await server.sessions.state(ANN, client.id)).children).toHaveLength(2);
});

it("a client that gives its messages new ids each time continues in one session", async () => {
  const client = await talked(["One", "First"]);
  const anew = () => client.agent.messages.map((message) => ({ ...message, id: randomUUID() }) as Message);
  for (const turn of ["Two", "Three"]) {
    client.agent.setMessages(anew());
    await client.hears(turn, `Answer to ${turn}`);
    expect(client.session).toBe(client.id);
    expect(client.texts).toEqual(await client.recorded());
  }
  expect(await client.recorded()).toEqual([
    "One",
    "First",
    "Two",
    "Answer to Two",
    "Three",
    "Answer to Three",
  ]);
});

it("a client that sends only new messages with parentRunId continues in one session", async () => {
  const client = await talked(["One", "First"]);
  const { state } = client.agent;
  const input = { threadId: client.id, runId: "r", parentRunId: "before", state };
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/agui`, {
    ...{ method: "POST", signal: leaving.signal, headers: { "Content-Type": "application/json" } },
    body: JSON.stringify({ ...input, messages: [{ id: "new", role: "user", content: "Two" }] }),
  });
  leaving.abort();
  expect(response.headers.get("x-session-id")).toBe(client.id);
});

it("a client that keeps only some messages continues in one session", async () => {
  const client = await talked(["One", "First"], ["Two", "Second"]);
  const asked = () => client.agent.messages.filter(({ role }) => role === "user");
  const anew = (some: readonly Message[]) =>
    some.map((message) => ({ ...message, id: randomUUID() }) as Message);
  client.agent.setMessages(anew(asked()));
  await client.hears("Three", "Third");
  expect(client.session).toBe(client.id);
  expect(client.texts).toEqual(["One", "First", "Two", "Second", "Three", "Third"]);
  client.agent.setMessages(anew(asked().slice(-1)));
  await client.hears("Four", "Fourth");
  expect(client.session).toBe(client.id);
});

it("another message under the same run id starts another run", async () => {
  const client = new ThreadClient(server);
  await client.hears("One", "First", { runId: "run-1" });
  await client.hears("Two", "Second", { runId: "run-1" });
  expect(await client.recorded()).toEqual(["One", "First", "Two", "Second"]);
});

it("a message that is edited under the same ids is a new message each time", async () => {
  const client = await talked(["One", "First"]);
  const [{ id = "" } = {}] = client.agent.messages;
  for (const words of ["One, edited", "One, edited again"]) {
    client.agent.setMessages([]);
    await client.hears(words, `Answer to ${words}`, { id, runId: "edit" });
    expect(client.texts).toEqual([words, `Answer to ${words}`]);
    expect(await client.recorded()).toEqual(client.texts);
  }
});

it("ids of any length are accepted", async () => {
  const client = new ThreadClient(server, "t".repeat(100));
  await client.hears("One", "First", { runId: "r".repeat(200), id: "m".repeat(150) });
  expect(await client.recorded()).toEqual(["One", "First"]);
});

it("a message that was only copied into a fork can be answered anew there", async () => {
  const client = await talked(["One", "First"], ["Two", "Second"]);
  client.agent.setMessages(client.agent.messages.slice(0, 2));
  await client.hears("Two, other", "Other");
  const first = client.agent.messages.slice(0, 1);
  client.agent.setMessages(first);
  client.headers = new Headers();
  const told = client.run();
  await client.answered("First, again");
  await told;
  expect(client.texts).toEqual(["One", "First, again"]);
  await client.hears("Then", "Fine");
  expect(await client.recorded()).toEqual(["One", "First, again", "Then", "Fine"]);
});

it("a message that comes with an answer to a question reaches the run", async () => {
  const client = new ThreadClient(server);
  const first = client.say("One");
  const runId = await client.begun();
  await server.brings(client.id, runId, [asks(runId, 1)]);
  await first;
  client.agent.addMessage({ id: randomUUID(), role: "user", content: "Rather this" });
  const told = client.run({ resume: [{ interruptId: `${runId}-ask-1`, status: "cancelled" }] });
  await expect.poll(async () => (await client.state()).messages.length).toBe(2);
  await client.answered("That, then");
  await told;
  expect(await client.recorded()).toEqual(["One", "Rather this", "That, then"]);
  expect(client.texts).toEqual(["One", "Rather this", "That, then"]);
});

it("a client in a fork sees the fork, and a new client sees the original thread", async () => {
  const client = await talked(["One", "First"]);
  client.agent.setMessages([]);
  await client.hears("Other", "Second");
  for (const state of [client.agent.state, {}]) {
    client.agent.setState(state);
    await client.run();
    expect(client.texts).toEqual(["Other", "Second"]);
  }
  client.agent.setMessages([]);
  await client.run();
  expect(client.texts).toEqual(["Other", "Second"]);
  const stranger = new ThreadClient(server, client.id);
  await stranger.run();
  expect(stranger.texts).toEqual(["One", "First"]);
});

it("a thread of many forks is still one thread", async () => {
  const client = await talked(["One", "First"]);
  for (let fork = 0; fork < 60; fork++)
    await server.sessions.execute(ANN, client.id, {
      type: "fork",
      at: "end",
      fork: { childId: randomUUID() },
    });
  client.agent.setState({});
  client.agent.setMessages(client.agent.messages.slice(0, 1));
  client.headers = new Headers();
  const told = client.run();
  await client.answered("First, again");
  await told;
  const fork = client.session;
  client.agent.setState({});
  await client.hears("Two", "Second");
  expect(client.session).toBe(fork);
});
