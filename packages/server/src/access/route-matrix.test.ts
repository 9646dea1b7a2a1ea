import { randomBytes } from "node:crypto";
import { type ServedCall, servedCalls } from "@parley/a2a";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { API_ROWS, type ApiRow, type Expected } from "./testing/api-rows.ts";
import { type Answered, GuardedPlatform } from "./testing/guarded-platform.ts";

/** The other doors of the main port. */
const OTHER_ROUTES: Readonly<Record<string, "public" | "operators" | "anybody">> = {
  "GET /": "public",
  "GET /healthz": "public",
  "GET /readyz": "public",
  "GET /status.css": "public",
  "GET /s/": "public",
  "GET /.well-known/agent-card.json": "public",
  "GET /.well-known/agent.json": "public",
  "GET /api/v1/openapi.json": "public",
  "GET /api/v1/docs": "public",
  "GET /api/v1/docs.css": "public",
  "GET /metrics": "operators",
  "GET /status": "operators",
  "GET /sessions": "anybody",
  "GET /nothing-here": "anybody",
  "GET /api/v1/nothing-here": "anybody",
  "GET /offline-model/v1/models": "anybody",
};

let platform: GuardedPlatform;
/** Ann has all there is; Bob is in her workspace; another Ann is in another one. */
let ann: string;
let others: { readonly bob: string; readonly ann2: string };
/** What Ann has, by the names that paths have for it. */
let hers: Record<string, string>;
let documented: string[];

beforeAll(async () => {
  platform = await GuardedPlatform.start();
  const key = await platform.key("ann", "home", { role: "owner" });
  ann = key.secret;
  others = {
    bob: (await platform.key("bob", "home")).secret,
    ann2: (await platform.key("ann", "office", { role: "owner" })).secret,
  };
  hers = { ...(await conversation()), key: key.id, name: "helper" };
  const { json } = await platform.ask("GET", "/api/v1/openapi.json");
  const paths: Record<string, object> = json.paths;
  documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replace("/keys/{id}", "/keys/{key}")}`,
    ),
  );
}, 60_000);
afterAll(() => platform.stop());

/** A session of Ann's with an answered message, and a file. */
async function conversation(): Promise<Record<string, string>> {
  const post = async (path: string, body: unknown, headers = {}) => {
    const answer = await platform.ask("POST", `/api/v1${path}`, { key: ann, body, headers });
    expect(answer.status, answer.text).toBe(201);
    return answer.json;
  };
  const { session } = await post("/sessions", { title: "A secret" });
  const { message, run } = await post(`/sessions/${session.id}/messages`, { content: "The secret word" });
  const state = async () =>
    (await platform.ask("GET", `/api/v1/sessions/${session.id}/runs/${run.id}`, { key: ann })).json.run
      .status;
  await vi.waitFor(async () => expect(await state()).toBe("completed"), { timeout: 30_000 });
  const { file } = await post("/files", "secret", { "Content-Type": "text/plain", "X-File-Name": "a.txt" });
  const task = await a2a("message/send", { message: said("Another secret word") }, ann);
  expect(task.json?.result?.id, task.text).toEqual(expect.any(String));
  const taskId: string = task.json.result.id;
  const push = { taskId, pushNotificationConfig: { id: "hook", url: "https://example.com/hook" } };
  await a2a("tasks/pushNotificationConfig/set", push, ann);
  return {
    ...{
      id: session.id,
      messageId: message.id,
      runId: run.id,
      file: file.id,
      approvalId: "approval-nobody-asked-for",
    },
    ...{ taskId, configId: "hook" },
  };
}

function said(text: string) {
  return {
    messageId: randomBytes(8).toString("hex"),
    role: "user",
    kind: "message",
    parts: [{ kind: "text", text }],
  };
}

function a2a(method: string, params: unknown, key?: string): Promise<Answered> {
  return platform.ask("POST", "/", { key, body: { jsonrpc: "2.0", id: 1, method, params } });
}

/** Puts names in, for what stands in braces. */
function filled(text: string, names: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "");
}

/** As long, of the same letters, and nobody's. */
function unlike(id: string): string {
  const last = randomBytes(8).toString("hex");
  return id.slice(0, -last.length) + last;
}

function askApi(
  route: string,
  { body, query = "", headers }: ApiRow,
  key: string | undefined,
  names: Record<string, string>,
) {
  const [method = "", path = ""] = route.split(" ");
  const text = body === undefined || typeof body === "string" ? body : filled(JSON.stringify(body), names);
  return platform.ask(method, filled(`/api/v1${path}${query}`, names), {
    ...{ key, ...(text !== undefined && { body: text }), ...(headers && { headers }) },
  });
}

const rows = (...expected: Expected[]) =>
  Object.entries(API_ROWS).filter(([, row]) => expected.includes(row.expected));

/** All of an answer that could tell one from another. */
function seen({ status, headers, text }: Answered, names: Readonly<Record<string, string>>): string {
  const told = [...headers].filter(([name]) => name !== "date").map(([name, value]) => `${name}: ${value}`);
  let whole = [status, ...told, text].join("\n");
  for (const [name, value] of Object.entries(names)) whole = whole.replaceAll(value, `{${name}}`);
  return whole;
}

describe("the API", () => {
  it("has a row here for each of its routes", () => {
    expect(documented.toSorted()).toEqual(Object.keys(API_ROWS).toSorted());
  });

  it("answers 401 with a challenge to whoever shows nothing, at every route (S4.2)", async () => {
    for (const [route, row] of Object.entries(API_ROWS)) {
      const { status, headers, json } = await askApi(route, row, undefined, hers);
      expect([route, status], route).toEqual([route, 401]);
      expect(headers.get("www-authenticate")).toBe('Bearer realm="parley"');
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(json).toMatchObject({
        code: "not_authenticated",
        detail: expect.stringContaining("parley keys"),
      });
    }
  });

  it("answers other users and workspaces 404, byte for byte as for what is not there (S4.2, invariant 20)", async () => {
    for (const [route, row] of rows("nothing there")) {
      for (const [who, key] of Object.entries(others)) {
        const missing = { ...hers, id: unlike(hers.id ?? ""), file: unlike(hers.file ?? "") };
        const [real, none] = [await askApi(route, row, key, hers), await askApi(route, row, key, missing)];
        expect([route, who, real.status], real.text).toEqual([route, who, 404]);
        expect(seen(real, hers), route).toBe(seen(none, missing));
      }
    }
  });

  it("shows Ann what it hides from the others: the matrix is about things that are there", async () => {
    for (const [route, row] of rows("nothing there").filter(([name]) => name.startsWith("GET"))) {
      const { status, text } = await askApi(route, row, ann, hers);
      expect([route, status], text).toEqual([route, 200]);
    }
  });

  it("tells others nothing of hers in any list", async () => {
    for (const [route, row] of rows("own things")) {
      for (const key of Object.values(others)) {
        const { status, text } = await askApi(route, row, key, hers);
        expect([200, 201, 422], `${route}: ${text}`).toContain(status);
        for (const id of [hers.id, hers.runId, hers.file]) expect(text, route).not.toContain(id);
      }
    }
  });

  it("lets owners alone at keys and the log, and shows them their workspace's only", async () => {
    for (const [route, row] of rows("owners")) {
      expect([route, (await askApi(route, row, others.bob, hers)).status]).toEqual([route, 403]);
      const elsewhere = await askApi(route, row, others.ann2, hers);
      expect([200, 201, 404], `${route}: ${elsewhere.text}`).toContain(elsewhere.status);
      expect(elsewhere.text).not.toContain(hers.key);
    }
    const missing = { key: unlike(hers.key ?? "") };
    const route = "DELETE /keys/{key}";
    const real = await askApi(route, { expected: "owners" }, others.ann2, hers);
    const none = await askApi(route, { expected: "owners" }, others.ann2, missing);
    expect(real.status).toBe(404);
    expect(seen(real, hers)).toBe(seen(none, missing));
  });

  it("lets only who runs the platform change what all share, whatever they name", async () => {
    for (const [route, row] of rows("operators")) {
      for (const key of [ann, ...Object.values(others)]) {
        const [real, none] = [
          await askApi(route, row, key, hers),
          await askApi(route, row, key, { ...hers, name: "nobody" }),
        ];
        expect([route, real.status]).toEqual([route, 403]);
        expect(seen(real, {})).toBe(seen(none, {}));
      }
    }
    for (const [route, row] of rows("shared"))
      for (const key of Object.values(others)) expect((await askApi(route, row, key, hers)).status).toBe(200);
  });

  it("lets a viewer read and do nothing else", async () => {
    const { secret } = await platform.key("ann", "home", { role: "viewer" });
    for (const [route, row] of Object.entries(API_ROWS)) {
      const { status, text } = await askApi(route, row, secret, hers);
      const isRead = route.startsWith("GET") && !["owners", "operators"].includes(row.expected);
      expect([route, status], text).toEqual([route, isRead ? 200 : 403]);
    }
  });
});

describe("the other doors", () => {
  it("are public, or for whoever shows who they are, or for who runs the platform", async () => {
    for (const [route, whom] of Object.entries(OTHER_ROUTES)) {
      const [method = "", path = ""] = route.split(" ");
      const status = async (key?: string) => (await platform.ask(method, path, { key })).status;
      if (whom === "public") expect([route, await status()]).not.toEqual([route, 401]);
      else expect([route, await status()]).toEqual([route, 401]);
      if (whom === "operators") {
        expect([route, await status(ann)]).toEqual([route, 403]);
        expect([route, await status(platform.operator)]).toEqual([route, 200]);
      }
    }
    const legacy = (key: string) => platform.ask("GET", `/sessions/${hers.id}`, { key });
    expect((await legacy(ann)).status).toBe(200);
    const missing = { id: unlike(hers.id ?? "") };
    const none = await platform.ask("GET", `/sessions/${missing.id}`, { key: others.bob });
    for (const key of Object.values(others)) expect(seen(await legacy(key), hers)).toBe(seen(none, missing));
  });

  it("take no path for another because of how it is written", async () => {
    const spellings = [
      "/api/v1/%6beys",
      "/api/v1//keys",
      "/s/../api/v1/keys",
      "/api/v1/keys/",
      "/%61pi/v1/keys",
    ];
    for (const path of [...spellings, "/s/%2e%2e/metrics", "//metrics", "/metrics/", "/%6detrics"]) {
      const { text } = await platform.ask("GET", path, { key: others.bob });
      expect(text, path).not.toContain('"keys":');
      expect(text, path).not.toContain("# TYPE");
    }
  });
});

describe("A2A", () => {
  const NAMES = { id: "taskId", taskId: "taskId", pushNotificationConfigId: "configId", tenant: "tenant" };

  /** Asks in this way for what the names name. */
  function call(
    { binding, dialect, operation, method, path }: ServedCall,
    key: string | undefined,
    names: Record<string, string>,
  ) {
    const { taskId = "", configId = "" } = names;
    const headers = dialect === "0.1" ? {} : { "A2A-Version": dialect };
    const params = paramsOf(operation, dialect, { taskId, configId });
    if (binding === "JSONRPC")
      return platform.ask("POST", path, { key, headers, body: { jsonrpc: "2.0", id: 1, method, params } });
    const isConfig = path.endsWith("pushNotificationConfigs/{id}");
    const at = path.replace(/\{(\w+)\}/g, (_, name: keyof typeof NAMES) =>
      isConfig && name === "id" ? configId : (names[NAMES[name]] ?? "acme"),
    );
    return platform.ask(method, at, {
      key,
      headers,
      ...(method === "POST" && { body: restBody(operation, dialect, names) }),
    });
  }

  function paramsOf(
    operation: ServedCall["operation"],
    dialect: string,
    { taskId, configId }: Record<string, string>,
  ) {
    const message =
      dialect === "1.0"
        ? { messageId: randomBytes(8).toString("hex"), role: "ROLE_USER", taskId, parts: [{ text: "Go on" }] }
        : { ...said("Go on"), taskId };
    const config = { id: configId, url: "https://example.com/hook" };
    switch (operation) {
      case "send":
      case "stream":
        return dialect === "0.1"
          ? { id: taskId, message: { role: "user", parts: [{ type: "text", text: "Go on" }] } }
          : { message };
      case "list":
        return {};
      case "extendedCard":
        return {};
      case "createPush":
        return dialect === "1.0"
          ? { taskId, ...config }
          : dialect === "0.3"
            ? { taskId, pushNotificationConfig: config }
            : { id: taskId, pushNotificationConfig: config };
      case "getPush":
      case "deletePush":
        return dialect === "1.0"
          ? { taskId, id: configId }
          : { id: taskId, pushNotificationConfigId: configId };
      case "listPush":
        return dialect === "1.0" ? { taskId } : { id: taskId };
      default:
        return { id: taskId };
    }
  }

  function restBody(
    operation: ServedCall["operation"],
    dialect: string,
    names: Record<string, string>,
  ): unknown {
    if (dialect === "1.0") return paramsOf(operation, dialect, names);
    const config = { id: names.configId, url: "https://example.com/hook" };
    const message = {
      message_id: "m1",
      role: "ROLE_USER",
      task_id: names.taskId,
      content: [{ text: "Go on" }],
    };
    if (operation === "send" || operation === "stream") return { message };
    return operation === "createPush" ? { config: { push_notification_config: config } } : {};
  }

  const named = ({ binding, dialect, method, path }: ServedCall) => `${binding} ${dialect} ${method} ${path}`;
  const calls = servedCalls();

  it("has calls of every binding and dialect over HTTP to try", () => {
    const ways = new Set(calls.map(({ binding, dialect }) => `${binding} ${dialect}`));
    expect([...ways].toSorted()).toEqual([
      "HTTP+JSON 0.3",
      "HTTP+JSON 1.0",
      "JSONRPC 0.1",
      "JSONRPC 0.3",
      "JSONRPC 1.0",
    ]);
    expect(calls.length).toBeGreaterThan(40);
  });

  it("answers 401 in the shape of its binding to whoever shows nothing, for every operation (S2.16)", async () => {
    for (const each of calls) {
      const { status, headers, json } = await call(each, undefined, hers);
      expect([named(each), status]).toEqual([named(each), 401]);
      expect(headers.get("www-authenticate")).toBe('Bearer realm="parley"');
      if (each.binding === "JSONRPC")
        expect(json).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
      else if (each.dialect === "1.0")
        expect(json.error).toMatchObject({ code: 401, status: "UNAUTHENTICATED" });
      else expect(json).toMatchObject({ code: -32600, message: expect.any(String) });
    }
  });

  it("answers others for Ann's task as for one that is not there, for every operation that names one (S2.16, invariant 20)", async () => {
    // In v0.1 callers name their tasks themselves, and a name that is taken cannot be given twice.
    const isNew = ({ dialect, operation }: ServedCall) =>
      dialect === "0.1" && (operation === "send" || operation === "stream");
    const naming = calls.filter(
      (each) => each.operation !== "list" && each.operation !== "extendedCard" && !isNew(each),
    );
    for (const each of calls.filter(isNew)) {
      const { text } = await call(each, others.bob, hers);
      expect(text).toContain("Task not found");
    }
    const missing = { ...hers, taskId: unlike(hers.taskId ?? "") };
    for (const each of naming) {
      for (const key of Object.values(others)) {
        const [real, none] = [await call(each, key, hers), await call(each, key, missing)];
        expect(seen(real, { taskId: hers.taskId ?? "" }), named(each)).toBe(
          seen(none, { taskId: missing.taskId }),
        );
        expect(real.text, named(each)).not.toContain("secret");
      }
    }
    const { json } = await a2a("tasks/get", { id: hers.taskId }, ann);
    expect(json.result.id).toBe(hers.taskId);
  });

  it("lists to others none of her tasks, and her viewers may look at them and not go on", async () => {
    for (const each of calls.filter(({ operation }) => operation === "list"))
      for (const key of Object.values(others))
        expect((await call(each, key, hers)).text).not.toContain(hers.taskId);
    const { secret } = await platform.key("ann", "home", { role: "viewer" });
    const changing = new Set(["send", "stream", "cancel", "createPush", "deletePush"]);
    for (const each of calls) {
      const { status } = await call(each, secret, hers);
      if (changing.has(each.operation)) expect([named(each), status]).toEqual([named(each), 403]);
      else expect([named(each), status]).not.toEqual([named(each), 403]);
    }
  });

  it("declares in its card what callers have to show, and makes a session of the caller's own of a call", async () => {
    const { json: card } = await platform.ask("GET", "/.well-known/agent-card.json");
    expect(card.securitySchemes.parley).toMatchObject({ type: "http", scheme: "Bearer" });
    expect(card.securityRequirements).toEqual([{ schemes: { parley: {} } }]);
    expect(card.security).toEqual([{ parley: [] }]);
    const sessions = async (key: string) => (await platform.ask("GET", "/api/v1/sessions", { key })).text;
    await expect.poll(() => sessions(ann)).toContain("Another secret word");
    for (const key of Object.values(others)) expect(await sessions(key)).not.toContain("secret");
  });
});
