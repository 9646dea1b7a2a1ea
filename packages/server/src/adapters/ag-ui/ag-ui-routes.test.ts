import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../../api/testing/api-server.ts";
import { ANN, asks, completed, start, ThreadClient, token } from "./testing/thread-client.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server.stop());

it("two questions at once are asked one after the other, and nothing between them is lost or sent twice", async () => {
  const client = new ThreadClient(server);
  const first = client.say("Go");
  const runId = await client.begun();
  await server.brings(client.id, runId, [
    ...[start(runId), token(runId, "One, "), asks(runId, 1)],
    ...[token(runId, "two, "), asks(runId, 2), token(runId, "three, ")],
  ]);
  await first;
  expect(client.agent.pendingInterrupts.map(({ message }) => message)).toEqual(["Question 1?"]);
  expect(client.texts).toEqual(["Go", "One, "]);
  await client.resume("yes");
  expect(client.agent.pendingInterrupts.map(({ message }) => message)).toEqual(["Question 2?"]);
  expect(client.texts).toEqual(["Go", "One, two, "]);
  const last = client.resume("yes");
  await expect
    .poll(async () => (await server.sessions.state(ANN, client.id)).runs.get(runId)?.status)
    .toBe("running");
  await server.brings(client.id, runId, [token(runId, "four"), completed(runId, "One, two, three, four")]);
  await last;
  expect(client.agent.pendingInterrupts).toEqual([]);
  expect(client.texts).toEqual(["Go", "One, two, three, four"]);
  expect(client.types()).not.toContain("MESSAGES_SNAPSHOT");
});

it("an answer to the second question alone is refused: what came between would be lost", async () => {
  const client = new ThreadClient(server);
  const first = client.say("Go");
  const runId = await client.begun();
  await server.brings(client.id, runId, [asks(runId, 1), asks(runId, 2)]);
  await first;
  const resume = [{ interruptId: `${runId}-ask-2`, status: "resolved", payload: { text: "yes" } }];
  const { status, json } = await server.ask("POST", "/agui", {
    threadId: client.id,
    runId: "r",
    messages: [],
    resume,
  });
  expect([status, json.errors]).toEqual([422, [{ path: "resume", message: expect.stringContaining("all") }]]);
});

it("a message that comes too late for a run is answered by the next one, in the same stream", async () => {
  const client = new ThreadClient(server);
  const first = client.say("One");
  const runId = await client.begun();
  await server.brings(client.id, runId, [start(runId), token(runId, "Answer ")]);
  const other = new ThreadClient(server, client.id);
  const told = other.say("Two");
  await expect.poll(async () => (await server.sessions.state(ANN, client.id)).messages.length).toBe(2);
  const [, two] = (await server.sessions.state(ANN, client.id)).messages;
  const next = `${runId}-then`;
  await server.brings(client.id, runId, [
    ...[token(runId, "one"), completed(runId, "Answer one")],
    {
      ...{
        type: "agent_start",
        runId: next,
        agent: "supervisor",
        agentUrl: "http://127.0.0.1/",
        contextId: next,
      },
      ...{ inputSnapshotHash: "h", messageId: two?.id ?? "" },
    },
  ]);
  await first;
  await server.brings(client.id, next, [
    start(next),
    token(next, "Answer two"),
    completed(next, "Answer two"),
  ]);
  await told;
  expect(client.texts).toEqual(["One", "Answer one"]);
  expect(other.texts).toEqual(["One", "Two", "Answer one", "Answer two"]);
  expect(other.types().filter((type) => type.startsWith("RUN_"))).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
});

it("the same request sent twice at once starts one run, and both clients get its answer", async () => {
  const one = new ThreadClient(server);
  one.agent.addMessage({ id: randomUUID(), role: "user", content: "Go" });
  const other = new ThreadClient(server, one.id);
  other.agent.setMessages(one.agent.messages);
  const runId = randomUUID();
  const both = Promise.all([one.run({ runId }), other.run({ runId })]);
  const run = await one.begun();
  await server.brings(one.id, run, [start(run), token(run, "Once"), completed(run, "Once")]);
  await both;
  expect([one.texts, other.texts]).toEqual([
    ["Go", "Once"],
    ["Go", "Once"],
  ]);
  expect((await server.sessions.state(ANN, one.id)).runs.size).toBe(1);
});

it("a client that sends a message to a waiting run gets the open question", async () => {
  const client = new ThreadClient(server);
  const first = client.say("One");
  const runId = await client.begun();
  await server.brings(client.id, runId, [asks(runId, 1)]);
  await first;
  const other = new ThreadClient(server, client.id);
  await other.say("Two");
  expect(other.agent.pendingInterrupts.map(({ id }) => id)).toEqual([`${runId}-ask-1`]);
});

it("a run that was cancelled while it waited ends for clients that answer or ask again", async () => {
  const client = new ThreadClient(server);
  const key = randomUUID();
  const first = client.say("One", { runId: key });
  const runId = await client.begun();
  await server.brings(client.id, runId, [asks(runId, 1)]);
  await first;
  await server.ask("POST", `/api/v1/sessions/${client.id}/runs/${runId}/cancel`, {});
  await client.resume("yes");
  expect(client.events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
  await client.run({ runId: key });
  expect(client.events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
});

it("deleting a thread ends the run for its followers, and the thread is gone", async () => {
  const client = new ThreadClient(server);
  const running = client.say("One");
  await client.begun();
  await expect.poll(() => client.types()).toContain("STATE_SNAPSHOT");
  const { status } = await server.ask("DELETE", `/api/v1/sessions/${client.id}`);
  expect(status).toBe(204);
  await running;
  expect(client.events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
  const again = await server.ask("POST", "/agui", { threadId: client.id, runId: "again", messages: [] });
  expect([again.status, again.json.type, again.json.code]).toEqual([410, "RUN_ERROR", "gone"]);
});

it("a client that reads a thread later gets its last plan, and X-Parley-Unused names its unknown messages", async () => {
  const client = new ThreadClient(server);
  const running = client.say("Go");
  const runId = await client.begun();
  await server.brings(client.id, runId, [
    { type: "agent_plan", runId, steps: [{ id: "1", title: "Look", dependencies: [], state: "working" }] },
    ...[start(runId), token(runId, "Done"), completed(runId, "Done")],
  ]);
  await running;
  const messages = [{ id: "x", role: "user", content: "Unheard" }, ...client.agent.messages];
  const { headers, text } = await server.ask("POST", "/agui", {
    threadId: client.id,
    runId: "later",
    messages,
  });
  expect(headers.get("x-parley-unused")).toBe("messages");
  expect(text).toContain('"state":"working"');
});

it("a client that was disconnected learns how the run ended, also when it ended meanwhile", async () => {
  const client = new ThreadClient(server);
  const runId = randomUUID();
  const told = client.say("Go", { runId });
  const run = await client.begun();
  await server.brings(client.id, run, [start(run), token(run, "Half ")]);
  await expect.poll(() => client.texts).toEqual(["Go", "Half "]);
  client.agent.abortRun();
  await told.catch(() => undefined);
  const failed = { ...completed(run, "Half of it"), state: "failed", reason: "It broke" } as const;
  await server.brings(client.id, run, [token(run, "of it"), failed as ReturnType<typeof completed>]);
  await client.run({ runId });
  expect(client.events.at(-1)).toMatchObject({ type: "RUN_ERROR", message: "It broke" });
  expect(client.texts).toEqual(["Go", "Half of it"]);
  // A read-only follower receives the text.
  await client.run();
  expect(client.events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
  expect(client.texts).toEqual(["Go", "Half of it"]);
});

it("all messages to an active run are posted in one session, whatever their clients have seen", async () => {
  const one = new ThreadClient(server);
  const first = one.say("One");
  const run = await one.begun();
  await server.brings(one.id, run, [start(run), token(run, "So ")]);
  await expect.poll(() => one.texts).toEqual(["One", "So "]);
  one.agent.abortRun();
  await first.catch(() => undefined);
  const other = new ThreadClient(server, one.id);
  const second = other.say("Two");
  await expect.poll(async () => (await server.sessions.state(ANN, one.id)).messages.length).toBe(2);
  const third = one.say("Three");
  await expect.poll(async () => (await server.sessions.state(ANN, one.id)).messages.length).toBe(3);
  await server.brings(one.id, run, [token(run, "be it"), completed(run, "So be it")]);
  await Promise.all([second, third]);
  expect([one.session, other.session]).toEqual([one.id, one.id]);
  expect(one.texts).toEqual(["One", "Two", "Three", "So be it"]);
});

it("a contradictory answer is refused, and nothing is recorded", async () => {
  const client = new ThreadClient(server);
  const first = client.say("Go");
  const run = await client.begun();
  await server.brings(client.id, run, [asks(run, 1)]);
  await first;
  const entry = { interruptId: `${run}-ask-1`, status: "resolved" };
  const resume = ["yes", "no"].map((payload) => ({ ...entry, payload }));
  const { status, json } = await server.ask("POST", "/agui", {
    ...{ threadId: client.id, runId: "r", messages: [], resume },
  });
  expect([status, json.errors]).toEqual([
    422,
    [{ path: "resume", message: expect.stringContaining("once") }],
  ]);
  expect((await client.state()).approvals.get(`${run}-ask-1`)?.answer).toBeUndefined();
});

it("a client that is cut at any event and asks again ends with the same messages, state and outcome as one that was not", async () => {
  const whole = new ThreadClient(server);
  const runId = randomUUID();
  const told = whole.say("Go", { runId });
  const run = await whole.begun();
  const step = { id: "1", title: "Look", agent: "scout", dependencies: [] };
  const of = { runId: run, agent: "scout", parentCallId: "c1" };
  await server.brings(whole.id, run, [
    { type: "agent_status", runId: run, state: "working", text: "On it" },
    { type: "agent_plan", runId: run, steps: [{ ...step, state: "working" }] },
    { type: "agent_tool_call", runId: run, callId: "c1", tool: "ask_scout", arguments: { at: 1 } },
    { type: "agent_tool_call", ...of, callId: "c2", tool: "look", arguments: {} },
    { type: "agent_tool_result", ...of, callId: "c2", outcome: "succeeded", result: "seen" },
    { type: "agent_token_start", ...of, artifactId: "b", channel: "branch" },
    { type: "agent_token", runId: run, artifactId: "b", text: "I saw it" },
    { type: "agent_token_end", runId: run, artifactId: "b" },
    { type: "agent_tool_result", runId: run, callId: "c1", outcome: "succeeded", result: "I saw it" },
    { type: "agent_artifact", runId: run, artifactId: "f", parts: [{ data: { n: 1 } }] },
    ...[start(run), token(run, "First try")],
    { type: "agent_token_start", runId: run, artifactId: "a", channel: "answer", restart: true },
    token(run, "It is "),
    { type: "agent_plan", runId: run, steps: [{ ...step, state: "completed" }] },
    ...[token(run, "there"), completed(run, "It is there")],
  ]);
  await told;
  const has = ({ agent: { messages, state } }: ThreadClient) => ({
    state,
    messages: messages.map(({ id, role, content }) => ({ id, role, content })).toSorted(byId),
  });
  const length = whole.events.length;
  const [said] = whole.agent.messages;
  expect(length).toBeGreaterThan(25);
  for (let cut = 1; cut < length; cut++) {
    const client = new ThreadClient(server, whole.id);
    client.agent.setMessages(said ? [said] : []);
    client.agent.subscribe({
      onEvent: () => {
        if (client.events.length >= cut) client.agent.abortRun();
      },
    });
    await client.run({ runId });
    client.agent.subscribers = [];
    await client.run({ runId });
    expect(has(client), `cut at ${cut}`).toEqual(has(whole));
    expect(client.events.at(-1)).toMatchObject({ outcome: { type: "success" } });
  }
  expect((await server.sessions.state(ANN, whole.id)).runs.size).toBe(1);
});

const byId = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? -1 : 1);
