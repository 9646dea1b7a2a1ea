import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownerByHeader } from "./testing/owner-by-header.ts";
import { type ProofAgent, startProofAgent } from "./testing/proof-agent.ts";
import { proofExecutor } from "./testing/proof-executor.ts";
import { restSpeaker, taskOf, v1Speaker } from "./testing/speakers.ts";

const MISSING = "00000000-0000-4000-8000-000000000000";

let agent: ProofAgent;
beforeAll(async () => {
  agent = await startProofAgent({ executor: proofExecutor, ownerOf: ownerByHeader });
});
afterAll(() => agent.stop());

describe("what implementers get wrong, beyond what all dialects share", () => {
  const rpc = async (method: string, params: object, owner = "lists") => {
    const response = await fetch(agent.url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-owner": owner },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return (await response.json()) as { result?: Record<string, unknown>; error?: { code: number } };
  };
  const rest = async (path: string, method = "GET", body?: string) => {
    const headers = { "x-owner": "lists", ...(body && { "content-type": "application/json" }) };
    const response = await fetch(`${agent.url}/a2a/rest${path}`, { method, headers, body: body ?? null });
    const { error } = (await response.json()) as { error?: { details: { reason: string }[] } };
    return error?.details[0]?.reason;
  };

  it("W9, A2A-LIST-1–6: lists are paginated by cursor, newest status first, limited to the caller's tasks, without artifacts unless requested", async () => {
    const made: string[] = [];
    for (const speaker of [v1Speaker, restSpeaker, v1Speaker]) {
      const mine = speaker.at(agent.url, { "x-owner": "lists" });
      // Tasks that change within one millisecond may be listed either way.
      for (const now = Date.now(); Date.now() === now; ) await new Promise(setImmediate);
      made.unshift(taskOf(await mine.send("pieces 1", { contextId: "listed" })).id);
    }
    await v1Speaker.at(agent.url, { "x-owner": "else" }).send("pieces 1", { contextId: "listed" });
    const pages: unknown[] = [];
    let pageToken = "";
    do {
      const { result = {} } = await rpc("ListTasks", { contextId: "listed", pageSize: 2, pageToken });
      const tasks = result.tasks as Record<string, unknown>[];
      expect(tasks.every((task) => !("artifacts" in task))).toBe(true);
      expect(result).toMatchObject({ pageSize: 2, totalSize: 3 });
      pages.push(tasks.map(({ id }) => id));
      pageToken = result.nextPageToken as string;
    } while (pageToken !== "");
    expect(pages).toEqual([made.slice(0, 2), made.slice(2)]);
    const { result = {} } = await rpc("ListTasks", { includeArtifacts: true });
    expect(result).toMatchObject({ pageSize: 50, nextPageToken: "" });
    expect(result.tasks).toEqual(
      expect.arrayContaining([expect.objectContaining({ artifacts: expect.anything() })]),
    );
    expect((await rpc("ListTasks", { pageSize: 101 })).error?.code).toBe(-32602);
    expect((await rpc("ListTasks", { pageSize: 0 })).error?.code).toBe(-32602);
  });

  it("W9, A2A-LIST-7: statusTimestampAfter is inclusive", async () => {
    const task = taskOf(await v1Speaker.at(agent.url, { "x-owner": "times" }).send("pieces 1"));
    const since = async (after: number) => {
      const time = new Date(Date.parse(task.timestamp ?? "") + after).toISOString();
      return (await rpc("ListTasks", { statusTimestampAfter: time }, "times")).result?.totalSize;
    };
    expect([await since(-1), await since(0), await since(1)]).toEqual([1, 1, 0]);
  });

  it("W10, A2A-PUSH-1: without push support all four operations return the specified error, in every dialect and binding", async () => {
    const params = {
      taskId: "t",
      id: "c",
      url: "https://example.com",
      pushNotificationConfig: { url: "https://example.com" },
    };
    const methods = [
      ...["Create", "Get", "Delete"].map((verb) => `${verb}TaskPushNotificationConfig`),
      "ListTaskPushNotificationConfigs",
      ...["set", "get", "list", "delete"].map((verb) => `tasks/pushNotificationConfig/${verb}`),
      ...["set", "get"].map((verb) => `tasks/pushNotification/${verb}`),
    ];
    for (const method of methods) {
      const more =
        method.includes("Config/") && !method.endsWith("set") ? { pushNotificationConfigId: "c" } : {};
      expect([method, (await rpc(method, { ...params, ...more })).error?.code]).toEqual([method, -32003]);
    }
    const path = "/tasks/t/pushNotificationConfigs";
    const reasons = [
      await rest(path, "POST", '{"url":"https://example.com"}'),
      await rest(path),
      await rest(`${path}/c`),
      await rest(`${path}/c`, "DELETE"),
    ];
    expect(new Set(reasons)).toEqual(new Set(["PUSH_NOTIFICATION_NOT_SUPPORTED"]));
  });

  it("W11, A2A-CARD-2: requesting an undeclared extended card returns −32004", async () => {
    expect((await rpc("GetExtendedAgentCard", {})).error?.code).toBe(-32004);
    expect((await rpc("agent/getAuthenticatedExtendedCard", {})).error?.code).toBe(-32004);
    expect(await rest("/extendedAgentCard")).toBe("UNSUPPORTED_OPERATION");
  });

  it.each([
    ["no parts", { parts: [] }],
    ["no role", { role: undefined }],
    ["no messageId", { messageId: undefined }],
    ["a part that is nothing", { parts: [{}] }],
  ])("W13, A2A-VALID-1: a message with %s is rejected", async (_, spoilt) => {
    const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }], ...spoilt };
    const old = { messageId: "m", role: "user", parts: [{ kind: "text", text: "x" }], ...spoilt };
    expect((await rpc("SendMessage", { message })).error?.code).toBe(-32602);
    expect((await rpc("message/send", { message: old })).error?.code).toBe(-32602);
    expect(await rest("/message:send", "POST", JSON.stringify({ message }))).toBe("INVALID_PARAMS");
    if ("messageId" in spoilt) return;
    const oldest = { role: "user", parts: [{ type: "text", text: "x" }], ...spoilt };
    expect((await rpc("tasks/send", { id: "t", message: oldest })).error?.code).toBe(-32602);
  });

  it("W14, A2A-JSON-2: unknown fields are ignored, in requests of every dialect", async () => {
    const extra = { unknownToUs: { deep: [1] } };
    const part = { text: "pieces 1", ...extra };
    const message = { messageId: "m", role: "ROLE_USER", parts: [part], ...extra };
    const old = { messageId: "m", role: "user", parts: [{ kind: "text", ...part }], ...extra };
    const oldest = { role: "user", parts: [{ type: "text", ...part }], ...extra };
    expect(await rpc("SendMessage", { message, configuration: extra, ...extra })).toHaveProperty(
      "result.task",
    );
    expect(await rpc("message/send", { message: old, ...extra })).toHaveProperty("result.kind", "task");
    expect(await rpc("tasks/send", { id: "unknown-fields", message: oldest, ...extra })).toHaveProperty(
      "result.id",
    );
    expect(await rest("/message:send", "POST", JSON.stringify({ message, ...extra }))).toBeUndefined();
  });

  it("A2A-VERSION-1–2, A2A-PARAM-1: the version header has major and minor; an unknown version is rejected with the call's id", async () => {
    const ask = async (version: string) => {
      const headers = { "content-type": "application/json", "a2a-version": version };
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: "call-7",
        method: "GetTask",
        params: { id: MISSING },
      });
      return (await fetch(agent.url, { method: "POST", headers, body })).json();
    };
    expect(await ask("1.0.99")).toMatchObject({ id: "call-7", error: { code: -32001 } });
    expect(await ask("9.9")).toMatchObject({
      id: "call-7",
      error: { code: -32009, data: [{ reason: "VERSION_NOT_SUPPORTED", domain: "a2a-protocol.org" }] },
    });
  });
});
