import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Journal, openMemoryJournal } from "@parley/journal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { taskTables } from "../tasks/tables/task-table.ts";
import { TaskEngine } from "../tasks/task-engine.ts";
import { type EventBatches, TaskOperations } from "../tasks/task-operations.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import { type AgentOperations, agentOperations } from "./agent-operations.ts";
import { REST_ROOT, restHandler } from "./rest.ts";

/** A task whose stream breaks, as when the disk goes away under it. */
class BrokenTasks extends TaskOperations {
  override async subscribe(): Promise<EventBatches> {
    return (async function* () {
      yield [];
      throw new Error("the disk is gone");
    })();
  }
}

let journal: Journal;
let server: Server;
let root: string;
let asked: unknown[];
let reported: unknown[];

beforeEach(async () => {
  journal = openMemoryJournal({ projections: taskTables });
  asked = [];
  reported = [];
  const engine = new TaskEngine({ journal, executor: new ScriptedExecutor() });
  const binding = restHandler(operations(engine), (error) => reported.push(error));
  server = createServer((request, response) => {
    const readOnly = request.headers["x-role"] === "viewer";
    binding(request, response, { owner: "alice", readOnly }).catch((error) => reported.push(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}${REST_ROOT}`;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await journal.close();
});

/** An agent with webhooks and an extended card, which writes down what it is asked. */
function operations(engine: TaskEngine): AgentOperations {
  const base = agentOperations(new BrokenTasks(engine, journal));
  const note = async <T>(request: unknown, answer: T): Promise<T> => {
    asked.push(request);
    return answer;
  };
  const config = { id: "c", taskId: "t", url: "https://a.example/hook" };
  return {
    ...base,
    unary: {
      ...base.unary,
      list: (request) => note(request, { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }),
      createPush: (request) => note(request, config),
      getPush: (request) => note(request, config),
      listPush: (request) => note(request, { configs: [config], nextPageToken: "" }),
      deletePush: (request) => note(request, undefined),
      extendedCard: (request) => note(request, { name: "extended" }),
      cancel: async () => {
        throw new Error("the database's password is hunter2");
      },
    },
  };
}

const call = async (method: string, path: string, body?: unknown) => {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { "content-type": "application/a2a+json" };
  const response = await fetch(root + path, { method, headers, ...text });
  return { status: response.status, body: await response.json() };
};

describe("the REST binding", () => {
  it("accepts push configs, where the path overrides the body", async () => {
    const body = { taskId: "other", task_id: "another", tenant: "nobody", url: "https://a.example/hook" };
    const created = await call("POST", "/acme/tasks/t/pushNotificationConfigs", body);
    expect(created).toEqual({ status: 200, body: { id: "c", taskId: "t", url: "https://a.example/hook" } });
    expect(asked).toEqual([{ taskId: "t", tenant: "acme", url: "https://a.example/hook" }]);
  });

  it("reads, lists and deletes push configs, and answers a deletion with an empty object", async () => {
    const path = "/tasks/t/pushNotificationConfigs";
    expect((await call("GET", `${path}/c`)).body).toMatchObject({ id: "c" });
    expect((await call("GET", `${path}?pageSize=2`)).body).toMatchObject({ configs: [{ id: "c" }] });
    expect(await call("DELETE", `${path}/c`)).toEqual({ status: 200, body: {} });
    expect(asked).toEqual([
      { taskId: "t", id: "c" },
      { taskId: "t", pageSize: 2 },
      { taskId: "t", id: "c" },
    ]);
  });

  it("serves the extended card", async () => {
    expect(await call("GET", "/extendedAgentCard")).toEqual({ status: 200, body: { name: "extended" } });
  });

  it("reads numbers, booleans and states from the query, in either spelling", async () => {
    await call("GET", "/tasks?pageSize=7&includeArtifacts=true&status=TASK_STATE_WORKING&contextId=true");
    await call("GET", "/tasks?page_size=7&include_artifacts=false&A2A-Version=1.0");
    expect(asked).toEqual([
      { pageSize: 7, includeArtifacts: true, status: "TASK_STATE_WORKING", contextId: "true" },
      { pageSize: 7, includeArtifacts: false },
    ]);
    const refused = await call("GET", "/tasks?includeArtifacts=perhaps");
    expect([refused.status, refused.body]).toMatchObject([400, { error: { status: "INVALID_ARGUMENT" } }]);
  });

  it("hides the cause of an internal error, and reports it to the observer", async () => {
    const { status, body } = await call("POST", "/tasks/t:cancel");
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining("hunter2")]);
    expect(reported).toEqual([expect.objectContaining({ message: expect.stringContaining("hunter2") })]);
  });

  it("ends a broken stream with an error frame", async () => {
    const response = await fetch(`${root}/tasks/t:subscribe`);
    const [type, data = ""] = (await response.text()).trim().split("\n");
    expect(type).toBe("event: error");
    expect(JSON.parse(data.slice("data: ".length))).toMatchObject({ error: { code: 500, details: [] } });
    expect(reported).toEqual([expect.objectContaining({ message: "the disk is gone" })]);
  });
});

it("a read-only caller is refused before its body arrives", async () => {
  const headers = { "Content-Type": "application/json", "Content-Length": "1000000", "X-Role": "viewer" };
  const outgoing = request(`${root}/message:send`, { method: "POST", headers });
  outgoing.on("error", () => {}).write("{");
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(403);
  outgoing.destroy();
});
