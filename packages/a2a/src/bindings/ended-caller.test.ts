import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { openMemoryJournal } from "@parley/journal";
import { expect, it, onTestFinished } from "vitest";
import { taskTables } from "../tasks/tables/task-table.ts";
import { TaskEngine } from "../tasks/task-engine.ts";
import { TaskOperations } from "../tasks/task-operations.ts";
import { agentListener } from "./agent-listener.ts";
import { agentOperations } from "./agent-operations.ts";
import { startGrpcServer } from "./grpc/grpc-server.ts";
import { sendRequest } from "./testing/grpc-agent.ts";
import { GrpcCaller, refusalOf } from "./testing/grpc-client.ts";

const CALLS = {
  "JSON-RPC 1.0": {
    path: "/",
    version: "1.0",
    body: {
      jsonrpc: "2.0",
      id: 7,
      method: "SendStreamingMessage",
      params: { message: message({ text: "Go" }) },
    },
  },
  "JSON-RPC 0.3": {
    path: "/",
    version: "0.3",
    body: {
      ...{ jsonrpc: "2.0", id: 7, method: "message/stream" },
      params: { message: { ...message({ kind: "text", text: "Go" }), role: "user", kind: "message" } },
    },
  },
  "REST 1.0": {
    path: "/a2a/rest/message:stream",
    version: "1.0",
    body: { message: message({ text: "Go" }) },
  },
};

/** An agent that works until it is released, and a caller that can lose access. */
function workingAgent() {
  const journal = openMemoryJournal({ projections: taskTables });
  const finish = Promise.withResolvers<void>();
  const engine = new TaskEngine({
    journal,
    executor: {
      async execute(context) {
        await context.working([{ text: "At work" }]);
        await finish.promise;
        return { state: "completed" };
      },
    },
  });
  onTestFinished(async () => {
    await engine.suspend();
    await journal.close();
  });
  const ending = new AbortController();
  const reported: unknown[] = [];
  const operations = agentOperations(new TaskOperations(engine, journal));
  return {
    ...{ operations, finish, reported },
    report: (error: unknown) => void reported.push(error),
    ownerOf: () => ({ owner: "ann", ended: ending.signal }),
    revoke: () => ending.abort(new Error("Your API key was revoked: ask for another")),
    async goesOn() {
      finish.resolve();
      const listed = await operations.tasks.list({}, { owner: "ann", dialect: "1.0" });
      expect(listed.tasks.map(({ status }) => status.state)).not.toContain("TASK_STATE_CANCELED");
      expect([listed.tasks.length, reported]).toEqual([1, []]);
    },
  };
}

async function served({ operations, report, ownerOf }: ReturnType<typeof workingAgent>): Promise<string> {
  const next = (_: unknown, response: ServerResponse) => response.end();
  const server = createServer(agentListener({ operations, cards: new Map(), report, ownerOf, next }));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function message(part: object) {
  return { messageId: "m1", role: "ROLE_USER", parts: [part] };
}

it.each(Object.entries(CALLS))(
  "a stream over %s ends with the reason when its caller loses access, and the task continues",
  async (_, { path, version, body }) => {
    const agent = workingAgent();
    const response = await fetch((await served(agent)) + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": version },
      body: JSON.stringify(body),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("At work")) text += (await reader?.read())?.value ?? "";
    agent.revoke();
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) text += read.value;
    const last = text.trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(last.replace(/^data: /, "")).error.message).toContain("revoked");
    await agent.goesOn();
  },
);

it.each(["1.0", "0.3"] as const)(
  "a stream over gRPC %s ends as UNAUTHENTICATED with the reason when its caller loses access, and the task continues",
  async (version) => {
    const agent = workingAgent();
    const server = await startGrpcServer({ ...agent, host: "127.0.0.1", port: 0, limits: { graceMs: 50 } });
    const caller = new GrpcCaller(server.port, version);
    onTestFinished(async () => {
      caller.close();
      await server.stop();
    });
    const legacy = {
      request: {
        ...{ messageId: "m1", contextId: "", taskId: "", role: 1, extensions: [] },
        content: [{ part: { $case: "text", value: "Go" } }],
      },
    };
    const stream = caller.stream("sendStreamingMessage", version === "1.0" ? sendRequest("Go") : legacy);
    const refused = refusalOf(
      (async () => {
        for await (const event of stream) if (JSON.stringify(event).includes("At work")) agent.revoke();
      })(),
    );
    expect(await refused).toMatchObject({
      code: "UNAUTHENTICATED",
      details: expect.stringContaining("revoked"),
    });
    await agent.goesOn();
  },
);

it("a caller that waits for an answer is refused once its key is revoked, and the task continues", async () => {
  const agent = workingAgent();
  const asked = fetch(`${await served(agent)}/a2a/rest/message:send`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
    body: JSON.stringify({ message: message({ text: "Go" }) }),
  });
  const begun = async () =>
    (await agent.operations.tasks.list({}, { owner: "ann", dialect: "1.0" })).tasks.length;
  await expect.poll(begun).toBe(1);
  agent.revoke();
  const answer = await asked;
  expect([answer.status, answer.headers.has("www-authenticate")]).toEqual([401, true]);
  expect(await answer.text()).toContain("revoked");
  await agent.goesOn();
});
