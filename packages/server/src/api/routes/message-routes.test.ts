import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

const read = async (id: string) => (await api.ask("GET", `/api/v1/sessions/${id}`)).json;
const said = ({ messages }: { messages: { content: string }[] }) => messages.map(({ content }) => content);

describe("a message", () => {
  it("starts a run, and the next message is passed on to that run (S4.15)", async () => {
    const { id, runId, messageId } = await api.begun();
    const more = await api.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "And more" });
    expect([more.status, more.json.run.id]).toEqual([202, runId]);
    await api.brings(id, runId, [
      { type: "agent_tool_call", runId, callId: "c1", tool: "look", arguments: { at: "sky" } },
      { type: "agent_tool_result", runId, callId: "c1", outcome: "succeeded", result: { seen: true } },
    ]);
    await api.answers(id, runId, "Hi!");
    const { messages, session } = await read(id);
    expect(messages).toMatchObject([
      { id: messageId, role: "user", content: "Hello", index: 0 },
      { role: "user", content: "And more", index: 1 },
      {
        role: "assistant",
        content: "Hi!",
        metadata: {
          agentRunId: runId,
          agent: "supervisor",
          toolCalls: [
            {
              id: "c1",
              name: "look",
              arguments: { at: "sky" },
              outcome: "succeeded",
              result: { seen: true },
            },
          ],
        },
      },
    ]);
    expect(session.metadata).toMatchObject({ messageCount: 3, agentUrl: "http://127.0.0.1/supervisor" });
    const next = await api.ask("POST", `/api/v1/sessions/${id}/messages`, {
      content: "Now you",
      agent: "critic",
    });
    expect(next).toMatchObject({ status: 201, json: { run: { agent: "critic", status: "running" } } });
  });

  it("accepts every valid key and id, however long the two are together (invariant 4)", async () => {
    const chosen = "session-with-a-long-id".padEnd(100, "-");
    const { id } = (await api.ask("POST", "/api/v1/sessions", { id: chosen })).json.session;
    const say = () =>
      api.ask(
        "POST",
        `/api/v1/sessions/${id}/messages`,
        { content: "Hi" },
        { "Idempotency-Key": "k".repeat(200) },
      );
    const [first, second] = [await say(), await say()];
    expect([first.status, second.json]).toEqual([201, first.json]);
  });

  it("has one effect per key or id, and other content under the same one is refused (invariant 4)", async () => {
    const { id, runId } = await api.begun();
    await api.answers(id, runId, "Hi!");
    const path = `/api/v1/sessions/${id}/messages`;
    const headers = { "Idempotency-Key": "say-once" };
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.ask("POST", path, { content: "Once" }, headers)),
    );
    const bodies = new Set(answers.map(({ text }) => text));
    expect([...bodies]).toHaveLength(1);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const other = await api.ask("POST", path, { content: "Twice" }, headers);
    expect(other.json).toMatchObject({ status: 409, code: "key_reused" });
    const message = { content: "With an id", id: "message-of-client-1" };
    const first = await api.ask("POST", path, message);
    await api.answers(id, answers[0]?.json.run.id, "Done");
    const again = await api.ask("POST", path, message);
    expect(again.json.message).toEqual(first.json.message);
    expect(again.json.run.id).toBe(first.json.run.id);
    expect(said(await read(id)).filter((content) => content === "With an id")).toHaveLength(1);
  });

  it("is edited in a fork, and the response has the new session and its run (S4.17, S4.11)", async () => {
    const { id, runId, messageId } = await api.begun();
    const headers = { "Idempotency-Key": "edit" };
    const edit = () =>
      api.ask("PUT", `/api/v1/sessions/${id}/messages/${messageId}`, { content: "Good day" }, headers);
    const { status, json } = await edit();
    expect(status).toBe(201);
    expect(json).toMatchObject({
      session: { parentId: id },
      message: {
        content: "Good day",
        metadata: { isEdited: true, editHistory: [{ sessionId: id, messageId }] },
      },
      run: { status: "running", sessionId: json.session.id },
    });
    expect((await edit()).json).toEqual(json);
    const parent = await read(id);
    expect(parent.session.children).toEqual([{ id: json.session.id, reason: "user_edit", messages: 0 }]);
    expect(parent.events.map(({ type }: { type: string }) => type)).toContain("session_forked");
    expect((await api.ask("GET", `/api/v1/sessions/${id}/runs/${runId}`)).json.run.status).toBe("cancelled");
  });

  it("cannot be edited if it does not exist or is an agent's", async () => {
    const { id, runId } = await api.begun();
    await api.answers(id, runId, "Hi!");
    const path = `/api/v1/sessions/${id}/messages`;
    expect((await api.ask("PUT", `${path}/none`, { content: "x" })).status).toBe(404);
    expect((await api.ask("PUT", `${path}/answer-${runId}`, { content: "x" })).status).toBe(422);
  });

  it.each([
    [{}, "body.content"],
    [{ content: "  " }, "body.content"],
    [{ content: "x".repeat(500_001) }, "body.content"],
    [{ content: "x", files: ["nothing"] }, "body.files.0"],
    [{ content: "x", files: ["0".repeat(64)] }, "body.files.0"],
  ])("is refused with the path of the invalid field: %o", async (body, path) => {
    const { id } = await api.begun();
    const answer = await api.ask("POST", `/api/v1/sessions/${id}/messages`, body);
    expect(answer.json).toMatchObject({ status: 422, errors: [{ path }] });
  });
});

describe("a fork", () => {
  it("starts after a number of messages, at a message, or at an event (S4.17, +3)", async () => {
    const { id, runId, messageId } = await api.begun("One");
    await api.answers(id, runId, "Two");
    await api.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "Three" });
    const fork = async (body: object) => {
      const { json } = await api.ask("POST", `/api/v1/sessions/${id}/fork`, body);
      return said(json);
    };
    expect(await fork({})).toEqual(["One", "Two", "Three"]);
    expect(await fork({ messages: 2 })).toEqual(["One", "Two"]);
    expect(await fork({ messages: 0 })).toEqual([]);
    expect(await fork({ messageId })).toEqual(["One"]);
    expect(await fork({ eventIndex: 2 })).toEqual(["One"]);
    const refused = async (body: object) =>
      (await api.ask("POST", `/api/v1/sessions/${id}/fork`, body)).status;
    expect(await refused({ messages: 9 })).toBe(422);
    expect(await refused({ eventIndex: 999 })).toBe(422);
    expect(await refused({ eventIndex: 1, messages: 1 })).toBe(422);
    expect(await refused({ messageId: "none" })).toBe(404);
  });

  it("continues with another message, or repeats a run", async () => {
    const { id, runId, messageId } = await api.begun("One");
    await api.answers(id, runId, "Two");
    const headers = { "Idempotency-Key": "branch" };
    const branch = () =>
      api.ask(
        "POST",
        `/api/v1/sessions/${id}/branch`,
        { messageId, content: "Else", agent: "writer" },
        headers,
      );
    const { json } = await branch();
    expect(said(json)).toEqual(["One", "Else"]);
    expect(json.run).toMatchObject({ agent: "writer", messageId: json.message.id });
    expect((await branch()).json).toEqual(json);
    const retried = (await api.ask("POST", `/api/v1/sessions/${id}/runs/${runId}/retry`, {})).json;
    expect(said(retried)).toEqual(["One"]);
    expect(retried.run).toMatchObject({ retryOf: runId, agent: "supervisor" });
    expect((await api.ask("POST", `/api/v1/sessions/${id}/runs/none/retry`, {})).status).toBe(404);
  });

  it("is created for each agent to compare, once per key (+4)", async () => {
    const { id, runId } = await api.begun("One");
    await api.answers(id, runId, "Two");
    const headers = { "Idempotency-Key": "compare" };
    const body = { content: "Three", agents: ["writer", "critic", "weather"] };
    const compare = () => api.ask("POST", `/api/v1/sessions/${id}/compare`, body, headers);
    const { status, json } = await compare();
    expect(status).toBe(201);
    const children = json.children as { agent: string; run: { agent: string; inputSnapshotHash: string } }[];
    expect(children.map(({ agent, run }) => [agent, run.agent])).toEqual(
      body.agents.map((name) => [name, name]),
    );
    expect(new Set(children.map(({ run }) => run.inputSnapshotHash)).size).toBe(1);
    expect(json.children.map(said)).toEqual(body.agents.map(() => ["One", "Two", "Three"]));
    expect((await compare()).json).toEqual(json);
    expect((await read(id)).session.children).toHaveLength(3);
    const branches = json.children.map(({ session }: { session: { id: string } }) => session.id);
    const both = { content: "Four", agents: ["writer"], branches };
    const told = () => api.ask("POST", `/api/v1/sessions/${id}/compare`, both, { "Idempotency-Key": "both" });
    const first = await told();
    expect(first.json.children.map(said)).toEqual([
      ["One", "Two", "Four"],
      ...body.agents.map(() => ["One", "Two", "Three", "Four"]),
    ]);
    expect((await told()).json).toEqual(first.json);
    for (const refused of [{}, { branches: ["none"] }, { branches: [id, id] }, { branches: [id, "none"] }])
      expect(
        (await api.ask("POST", `/api/v1/sessions/${id}/compare`, { content: "x", ...refused })).status,
      ).toBe(refused.branches?.includes("none") ? 404 : 422);
    expect(said(await read(id))).toEqual(["One", "Two"]);
    const unknown = { content: "x", agents: ["writer", "nobody"] };
    expect((await api.ask("POST", `/api/v1/sessions/${id}/compare`, unknown)).status).toBe(404);
    expect((await read(id)).session.children).toHaveLength(4);
  });
});
