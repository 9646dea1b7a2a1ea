import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openMemoryJournal } from "@parley/journal";
import { expect, it, onTestFinished } from "vitest";
import { TaskEngine } from "../tasks/task-engine.ts";
import { TaskOperations } from "../tasks/task-operations.ts";
import { taskTables } from "../tasks/task-tables.ts";
import { agentListener } from "./agent-listener.ts";
import { agentOperations } from "./agent-operations.ts";

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

function message(part: object) {
  return { messageId: "m1", role: "ROLE_USER", parts: [part] };
}

it.each(Object.entries(CALLS))(
  "a stream over %s ends with the reason when its caller may not read on, and the task goes on",
  async (_, { path, version, body }) => {
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
    const ending = new AbortController();
    const operations = agentOperations(new TaskOperations(engine, journal));
    const reported: unknown[] = [];
    const server = createServer(
      agentListener({
        ...{ operations, cards: new Map(), report: (error) => reported.push(error) },
        ownerOf: () => ({ owner: "ann", ended: ending.signal }),
        next: (_request, response) => response.end(),
      }),
    ).listen(0, "127.0.0.1");
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await engine.suspend();
      await journal.close();
    });
    await once(server, "listening");
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": version },
      body: JSON.stringify(body),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("At work")) text += (await reader?.read())?.value ?? "";
    ending.abort(new Error("Your API key was revoked: ask for another"));
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) text += read.value;
    const last = text.trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(last.replace(/^data: /, "")).error.message).toContain("revoked");
    expect(reported).toEqual([]);
    finish.resolve();
    const { tasks } = await operations.tasks.list({}, { owner: "ann", dialect: "1.0" });
    expect(tasks[0]?.status.state).not.toBe("TASK_STATE_CANCELED");
  },
);
