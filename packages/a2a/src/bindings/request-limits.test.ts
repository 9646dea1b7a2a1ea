import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { taskTables } from "../tasks/tables/task-table.ts";
import { AgentServer, errorOf, inDialects } from "./testing/agent-server.ts";

const message = (more: object) => ({
  message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "quick" }], ...more },
});

describe("limits on requests", () => {
  const parts = (count: number) => Array.from({ length: count }, () => ({ text: "quick" }));
  it.each([
    ["1,001 parts", "message.parts", { parts: parts(1_001) }],
    ["metadata of a message", "message.metadata", { metadata: { x: "x".repeat(262_144) } }],
    [
      "metadata of a part",
      "message.parts[0].metadata",
      { parts: [{ text: "quick", metadata: { x: "x".repeat(262_144) } }] },
    ],
    ["a long task id", "message.taskId", { taskId: "t".repeat(191) }],
    ["a long context id", "message.contextId", { contextId: "c".repeat(257) }],
    ["a long message id", "message.messageId", { messageId: "m".repeat(257) }],
    ["a control character in an id", "message.contextId", { contextId: "a\u0000b" }],
    ["half a surrogate pair in an id", "message.contextId", { contextId: "\ud800" }],
    ["a long reference", "message.referenceTaskIds", { referenceTaskIds: ["t".repeat(191)] }],
  ])("refuse %s, with the field, over both bindings", async (_, field, more) => {
    const agent = await AgentServer.start();
    const violation = [
      expect.anything(),
      expect.objectContaining({ fieldViolations: [expect.objectContaining({ field })] }),
    ];
    expect(await errorOf(agent.rpc("SendMessage", message(more)))).toMatchObject({
      code: -32602,
      data: violation,
    });
    const response = await agent.rest("POST", "/message:send", message(more));
    expect([response.status, await errorOf(response)]).toMatchObject([
      400,
      { code: 400, details: violation },
    ]);
  });

  it("refuse oversized request metadata, and accept metadata just within them", async () => {
    const agent = await AgentServer.start({ limits: { metadata: 20 } });
    const within = { ...message({ parts: parts(1_000) }), metadata: { x: "x".repeat(12) } };
    expect(await (await agent.rpc("SendMessage", within)).json()).toHaveProperty("result.task");
    const beyond = { ...within, metadata: { x: "x".repeat(13) } };
    expect(await errorOf(agent.rpc("SendMessage", beyond))).toMatchObject({ code: -32602 });
  });

  it("are reported in each dialect's own format", async () => {
    const agent = await AgentServer.start({ limits: { parts: 0 } });
    const errors = await Promise.all(
      inDialects("quick").map(([, send, , params]) => errorOf(agent.rpc(send, params))),
    );
    expect(errors.map(({ code }) => code)).toEqual([-32602, -32602, -32602]);
    for (const error of errors) expect(JSON.stringify(error)).toContain("may have 0");
  });

  it("apply to the ids of every other operation", async () => {
    const agent = await AgentServer.start();
    for (const id of ["x".repeat(257), "a\u0000b"]) {
      expect(await errorOf(agent.rpc("GetTask", { id }))).toMatchObject({ code: -32602 });
      expect(await errorOf(agent.rpc("CancelTask", { id }))).toMatchObject({ code: -32602 });
      expect(await errorOf(agent.rpc("SubscribeToTask", { id }))).toMatchObject({ code: -32602 });
    }
    expect((await agent.rest("GET", `/tasks?contextId=a%00b`)).status).toBe(400);
  });

  it("refuse values that Postgres cannot store, in every operation", async () => {
    const { url, drop } = await freshDatabase(inject("postgresUrl"));
    onTestFinished(drop);
    const agent = await AgentServer.start(
      {},
      { journal: await openPostgresJournal({ url, projections: taskTables }) },
    );
    const id = "a\u0000b";
    const calls = [
      "GetTask",
      "CancelTask",
      "SubscribeToTask",
      "tasks/get",
      "tasks/cancel",
      "tasks/resubscribe",
    ];
    for (const method of calls) {
      expect(await errorOf(agent.rpc(method, { id }))).toMatchObject({ code: -32602 });
    }
    const text = { ...message({}), metadata: { [id]: id } };
    expect(await (await agent.rpc("SendMessage", text)).json()).toHaveProperty("result.task");
    expect(agent.reported).toEqual([]);
  });

  it("clamp the requested history length, also at the start of a stream", async () => {
    const agent = await AgentServer.start({}, { longestHistory: 2 });
    const say = async (n: number, taskId?: string) => {
      const body = message({ messageId: `m${n}`, parts: [{ text: "ask" }], ...(taskId && { taskId }) });
      const { task } = (await (await agent.rest("POST", "/message:send", body)).json()) as {
        task: { id: string };
      };
      return task.id;
    };
    const id = await say(0);
    for (let n = 1; n < 5; n++) await say(n, id);
    const idsFor = async (query: string) => {
      const task = (await (await agent.rest("GET", `/tasks/${id}${query}`)).json()) as {
        history?: { messageId: string }[];
      };
      return task.history?.map(({ messageId }) => messageId);
    };
    expect(await idsFor("?historyLength=1000000")).toEqual(["m3", "m4"]);
    expect(await idsFor("")).toEqual(["m3", "m4"]);
    expect(await idsFor("?historyLength=1")).toEqual(["m4"]);
    const watched = await agent.rest("GET", `/tasks/${id}:subscribe`);
    const first = new TextDecoder().decode((await watched.body?.getReader().read())?.value);
    expect([...first.matchAll(/"messageId":"m\d"/g)]).toHaveLength(2);
  });
});
