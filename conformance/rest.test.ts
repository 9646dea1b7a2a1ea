import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";
import { sdkRequest } from "./testing/sdk-request.ts";

let agent: ConformanceAgent;

beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0 });
});
afterAll(() => agent.stop());

interface TaskBody {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string };
}
interface Answer {
  readonly task?: TaskBody;
  readonly tasks?: readonly TaskBody[];
  readonly artifactUpdate?: { readonly artifact: { readonly parts: readonly { readonly text: string }[] } };
  readonly error?: { readonly code: number; readonly details: readonly { readonly reason: string }[] };
}

type Headers = Record<string, string>;

const ask = (method: string, path: string, headers: Headers = {}) =>
  fetch(`${agent.url}/a2a/rest${path}`, { method, headers });
const post = (path: string, body: unknown, headers: Headers = {}) =>
  fetch(`${agent.url}/a2a/rest${path}`, {
    method: "POST",
    headers: { "content-type": "application/a2a+json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const bodyOf = async (response: Response | Promise<Response>) => (await (await response).json()) as Answer;

const message = (messageId: string, more: object = {}) => ({
  message: { messageId, role: "ROLE_USER", parts: [{ text: "hello" }], ...more },
});

/** Sends a message and returns its task. */
async function sent(messageId: string, configuration: object = {}): Promise<TaskBody> {
  const { task } = await bodyOf(post("/message:send", { ...message(messageId), configuration }));
  if (!task) throw new Error(`${messageId} made no task`);
  return task;
}

/** The frames of an event stream: their ids and data. */
async function frames(
  response: Response | Promise<Response>,
): Promise<{ id: string | undefined; data: Answer }[]> {
  const blocks = (await (await response).text()).split("\n\n").filter((block) => block.includes("data: "));
  return blocks.map((block) => ({
    id: /^id: (.*)$/m.exec(block)?.[1],
    data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "{}"),
  }));
}

describe("operations over REST (A2A-REST-1)", () => {
  it.each(["application/a2a+json", "application/json; charset=utf-8"])("send, as %s", async (type) => {
    const body = message("tck-artifact-text-1");
    const response = await post("/message:send", body, { "content-type": type, "a2a-version": "1.0.1" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/a2a+json"]);
    expect(await response.json()).toMatchObject({
      task: {
        status: { state: "TASK_STATE_COMPLETED" },
        artifacts: [{ parts: [{ text: "Generated text content" }] }],
      },
    });
  });

  it("send below a tenant, and get a message when there is no task", async () => {
    expect(await bodyOf(post("/acme/message:send", message("tck-message-response-1")))).toMatchObject({
      message: { parts: [{ text: "Direct message response" }] },
    });
    const [frame, ...others] = await frames(post("/message:stream", message("tck-message-response-2")));
    expect([frame?.data, others]).toMatchObject([{ message: { role: "ROLE_AGENT" } }, []]);
  });

  it("get, with the requested length of history (A2A-GET-1, A2A-REST-2)", async () => {
    const { id } = await sent("tck-complete-task-1");
    expect(await bodyOf(ask("GET", `/tasks/${id}?historyLength=1`))).toMatchObject({
      id,
      history: [expect.anything()],
    });
    expect(await bodyOf(ask("GET", `/tasks/${id}?historyLength=0`))).not.toHaveProperty("history.0");
  });

  it("list, by page and context, with artifacts on request", async () => {
    const { id, contextId } = await sent("tck-artifact-text-2");
    const filter = `contextId=${contextId}&pageSize=1&status=TASK_STATE_COMPLETED`;
    const bare = await bodyOf(ask("GET", `/tasks?${filter}`));
    expect(bare).toMatchObject({ tasks: [{ id }], nextPageToken: "", pageSize: 1, totalSize: 1 });
    expect(bare).not.toHaveProperty("tasks.0.artifacts.0");
    const full = await bodyOf(ask("GET", `/tasks?${filter}&includeArtifacts=true`));
    expect(full).toHaveProperty("tasks.0.artifacts.0");
  });

  it("cancel, without a body (A2A-CANCEL-1)", async () => {
    const { id } = await sent("test-resubscribe-message-id-1", { returnImmediately: true });
    const canceled = await ask("POST", `/tasks/${id}:cancel`);
    expect([canceled.status, await canceled.json()]).toMatchObject([
      200,
      { id, status: { state: "TASK_STATE_CANCELED" } },
    ]);
  });
});

describe("streams over REST (A2A-REST-3)", () => {
  it("send the task first, then its chunks, then the end, each with its index", async () => {
    const response = await post("/message:stream", message("tck-stream-artifact-chunked-1"));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const all = await frames(response);
    expect(all[0]?.data).toMatchObject({ task: { status: { state: "TASK_STATE_SUBMITTED" } } });
    expect(all.at(-1)?.data).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
    const text = all.flatMap(({ data }) => data.artifactUpdate?.artifact.parts ?? []).map((it) => it.text);
    expect(text.join("")).toBe("chunk-1 chunk-2");
    const indices = all.map(({ id }) => Number(id));
    expect(indices).toEqual([...new Set(indices)].toSorted((a, b) => a - b));
  });

  it.each(["GET", "POST"])("resume after any Last-Event-ID, by %s", async (method) => {
    const whole = await frames(post("/message:stream", message("load-50")));
    const path = `/tasks/${whole[0]?.data.task?.id}:subscribe`;
    for (const [position, { id }] of whole.slice(0, -1).entries()) {
      const rest = await frames(ask(method, path, { "last-event-id": id ?? "" }));
      expect(rest).toEqual(whole.slice(position + 1));
    }
  });

  it.each(["GET", "POST"])(
    "begin with the task and continue to its end when subscribed by %s",
    async (method) => {
      const { id } = await sent(`test-resubscribe-message-id-${method}`, { returnImmediately: true });
      const watched = await ask(method, `/acme/tasks/${id}:subscribe`);
      await ask("POST", `/tasks/${id}:cancel`);
      const all = await frames(watched);
      expect(all[0]?.data.task?.id).toBe(id);
      expect(JSON.stringify(all.at(-1)?.data)).toContain("TASK_STATE_CANCELED");
    },
  );
});

describe("errors over REST (A2A-ERR-1–3)", () => {
  const ok = message("tck-complete-task-e");
  it.each<[string, () => Promise<Response>, number, string]>([
    ["not JSON", () => post("/message:send", "{"), 400, "PARSE_ERROR"],
    ["no object", () => post("/message:send", "[]"), 400, "INVALID_PARAMS"],
    ["no body", () => ask("POST", "/message:send"), 400, "INVALID_PARAMS"],
    ["a deep body", () => post("/message:send", "[".repeat(100)), 400, "INVALID_REQUEST"],
    ["a large body", () => post("/message:send", `"${"x".repeat(1_100_000)}"`), 413, "INVALID_REQUEST"],
    ["no parts", () => post("/message:send", message("m", { parts: [] })), 400, "INVALID_PARAMS"],
    ["no parts to stream", () => post("/message:stream", message("m", { parts: [] })), 400, "INVALID_PARAMS"],
    [
      "another type",
      () => post("/message:send", ok, { "content-type": "application/ld+json" }),
      400,
      "CONTENT_TYPE_NOT_SUPPORTED",
    ],
    ["a page of 0", () => ask("GET", "/tasks?pageSize=0"), 400, "INVALID_PARAMS"],
    ["a negative length", () => ask("GET", "/tasks/x?historyLength=-1"), 400, "INVALID_PARAMS"],
    ["an unknown task", () => ask("GET", "/tasks/nope"), 404, "TASK_NOT_FOUND"],
    ["an unknown task to cancel", () => ask("POST", "/tasks/nope:cancel"), 404, "TASK_NOT_FOUND"],
    ["an unknown task to subscribe to", () => ask("GET", "/tasks/nope:subscribe"), 404, "TASK_NOT_FOUND"],
    [
      "an invalid cursor",
      () => ask("GET", "/tasks/nope:subscribe", { "last-event-id": "x" }),
      400,
      "INVALID_PARAMS",
    ],
    ["a push config", () => ask("GET", "/tasks/nope/pushNotificationConfigs"), 404, "TASK_NOT_FOUND"],
    ["an extended card", () => ask("GET", "/extendedAgentCard"), 400, "UNSUPPORTED_OPERATION"],
    ["version 9.9", () => post("/message:send", ok, { "a2a-version": "9.9" }), 400, "VERSION_NOT_SUPPORTED"],
    ["version 0.3", () => post("/message:send", ok, { "a2a-version": "0.3" }), 400, "VERSION_NOT_SUPPORTED"],
    ["an unknown path", () => ask("GET", "/nothing/at/all"), 404, "METHOD_NOT_FOUND"],
    ["the root", () => ask("GET", ""), 404, "METHOD_NOT_FOUND"],
    ["a wrong method", () => ask("DELETE", "/tasks"), 405, "METHOD_NOT_FOUND"],
  ])("answer %s with its status and reason", async (_, request, status, reason) => {
    const response = await request();
    const { error } = await bodyOf(response);
    expect([response.status, error?.code, error?.details[0]?.reason]).toEqual([status, status, reason]);
    expect(response.headers.get("content-type")).toBe("application/a2a+json");
    if (status === 405) expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });

  it("reject a large body even without a Content-Length, and keep serving the connection", async () => {
    const chunks = Array.from({ length: 20 }, () => new TextEncoder().encode("x".repeat(100_000)));
    const response = await fetch(`${agent.url}/a2a/rest/message:send`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: ReadableStream.from(chunks),
      duplex: "half",
    });
    expect([response.status, (await bodyOf(response)).error?.code]).toEqual([413, 413]);
    expect((await ask("GET", "/tasks")).status).toBe(200);
  });

  it("reject messages to an ended task, its cancellation and subscriptions to it", async () => {
    const { id } = await sent("tck-complete-task-9");
    const answers = [
      await post("/message:send", message("m", { taskId: id })),
      await ask("POST", `/tasks/${id}:cancel`),
      await ask("GET", `/tasks/${id}:subscribe`),
    ];
    const reasons = await Promise.all(
      answers.map(async (it) => (await bodyOf(it)).error?.details[0]?.reason),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(reasons).toEqual(["UNSUPPORTED_OPERATION", "TASK_NOT_CANCELABLE", "UNSUPPORTED_OPERATION"]);
  });
});

describe("the official SDK's client over REST", () => {
  const connect = () => {
    const preferredTransports = ["HTTP+JSON" as const];
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports });
    return new ClientFactory(options).createFromUrl(agent.url);
  };

  it("finds the interface, sends, streams and gets", async () => {
    const client = await connect();
    expect(client.transport.protocolName).toBe("HTTP+JSON");
    const task = await client.sendMessage(sdkRequest("tck-artifact-text-sdk", "acme"));
    if (!("artifacts" in task)) throw new Error("answered without a task");
    expect(task.artifacts[0]?.parts[0]?.content).toEqual({ $case: "text", value: "Generated text content" });
    const kinds: (string | undefined)[] = [];
    for await (const event of client.sendMessageStream(sdkRequest("load-200")))
      kinds.push(event.payload?.$case);
    expect([kinds[0], kinds.at(-1)]).toEqual(["task", "statusUpdate"]);
    expect((await client.getTask({ tenant: "", id: task.id })).id).toBe(task.id);
  });

  it("maps our errors by their reasons", async () => {
    const client = await connect();
    await expect(client.getTask({ tenant: "", id: "nope" })).rejects.toMatchObject({
      name: "TaskNotFoundError",
      statusCode: 404,
    });
  });
});
