import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiServer } from "../../api/testing/api-server.ts";
import { RawMcp } from "./testing/raw-mcp.ts";

let server: ApiServer;
let mcp: RawMcp;
beforeAll(async () => {
  server = await ApiServer.start();
});
beforeEach(() => {
  mcp = new RawMcp(server);
});
afterAll(() => server.stop());

const ASK = { name: "ask_supervisor", arguments: { message: "Hello" } };

/** The run of the only session that they have, once it is under way. */
async function begunBy(owner: string): Promise<{ id: string; runId: string }> {
  const headers = { "X-Test-Owner": owner };
  const found = async () => (await server.ask("GET", "/api/v1/runs", undefined, headers)).json.runs;
  await expect.poll(async () => (await found()).length).toBe(1);
  const [{ id: runId, sessionId: id }] = await found();
  return { id, runId };
}

describe("an MCP session", () => {
  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["1999-01-01", "2025-11-25"],
  ])("requested with version %s negotiates %s", async (asked, agreed) => {
    const { status, messages, headers } = await mcp.greet(asked);
    expect(status).toBe(200);
    expect(messages[0]?.result).toMatchObject({
      ...{ protocolVersion: agreed, serverInfo: { name: "parley", version: "1.2.3" } },
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true } },
    });
    expect(headers.get("mcp-session-id")).toMatch(/^[!-~]{20,}$/);
  });

  it("is recognised by every node by its id alone, and unknown ids by none", async () => {
    await mcp.greet();
    const other = await ApiServer.start();
    const elsewhere = new RawMcp(other);
    elsewhere.headers = mcp.headers;
    expect((await elsewhere.post({ id: 1, method: "ping" })).messages[0]).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {},
    });
    await other.stop();
    for (const id of ["mcp_none", "x", `${mcp.headers["Mcp-Session-Id"]}x==`, "mcp_W10"]) {
      const { status, messages } = await mcp.post({ id: 1, method: "ping" }, { "Mcp-Session-Id": id });
      if (id.endsWith("x==")) continue;
      expect([status, messages[0]?.error.message]).toEqual([404, expect.stringContaining("initialize")]);
    }
  });
});

describe("the MCP adapter", () => {
  it.each([
    ["invalid JSON", "{", 400, -32_700],
    ["an invalid message", { what: 1 }, 400, -32_600],
    ["an empty batch", [], 400, -32_600],
    ["a batch of requests", [{ jsonrpc: "2.0", id: 1, method: "ping" }], 400, -32_600],
    ["an unknown method", { id: 1, method: "nothing/here" }, 200, -32_601],
    ["prompts, which are not supported", { id: 1, method: "prompts/list" }, 200, -32_601],
    ["a missing tool name", { id: 1, method: "tools/call", params: {} }, 200, -32_602],
    ["an unknown tool", { id: 1, method: "tools/call", params: { name: "ask_nobody" } }, 200, -32_602],
    [
      "a task, which is not supported",
      { id: 1, method: "tools/call", params: { ...ASK, task: {} } },
      200,
      -32_602,
    ],
    ["an invalid cursor", { id: 1, method: "resources/list", params: { cursor: "x" } }, 200, -32_602],
    ["an unknown resource", { id: 1, method: "resources/read", params: { uri: "parley://x" } }, 200, -32_002],
    ["an unrelated response", { id: 1, result: {} }, 400, -32_600],
    ["a null id", { id: null, method: "ping" }, 400, -32_600],
    ["a fractional id", { id: 1.5, method: "ping" }, 400, -32_600],
    ["a notification with an id", { id: 1, method: "notifications/cancelled" }, 200, -32_601],
    ["the name of an inherited property", { id: 1, method: "constructor" }, 200, -32_601],
    [
      "a cursor where there are no pages",
      { id: 1, method: "tools/list", params: { cursor: "x" } },
      200,
      -32_602,
    ],
  ])("answers in JSON-RPC to %s", async (_, message, status, code) => {
    await mcp.greet();
    const answer = await mcp.post(message);
    expect([answer.status, answer.messages[0]?.error.code], answer.text).toEqual([status, code]);
    const isRequest = typeof message === "object" && "method" in message && message.id === 1;
    expect(answer.messages[0]?.id).toBe(isRequest ? 1 : null);
  });

  it.each([
    "%00",
    "%E0%A4%A",
    "..%2F..%2Fetc",
    "x/../y",
    "%F0%9F%92%A9",
    "a?b",
    "a#b",
    "",
    "x".repeat(1_900),
  ])("refuses an unknown resource URI: %s", async (id) => {
    await mcp.greet();
    const params = { uri: `parley://sessions/${id}` };
    const { status, messages } = await mcp.post({ id: 1, method: "resources/read", params });
    expect([status, messages[0]?.error.code]).toEqual([200, -32_002]);
  });

  it.each(["", "*/*", "application/json", "text/event-stream", "text/*;q=0.5, application/*"])(
    "accepts the Accept header %s",
    async (accept) => {
      const { status } = await mcp.post({ id: 1, method: "ping" }, { Accept: accept });
      expect(status).toBe(200);
    },
  );

  it("accepts a trailing slash", async () => {
    const headers = { "Content-Type": "application/json", Accept: "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const response = await fetch(`${server.url}/mcp/`, { method: "POST", headers, body });
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("refuses a cross-origin request before it is parsed", async () => {
    for (const [method, origin] of [
      ["POST", "http://evil.example"],
      ["GET", "null"],
    ] as const)
      expect((await mcp.ask(method, { "Content-Type": "application/json", Origin: origin })).status).toBe(
        403,
      );
  });

  it("reports errors that have an HTTP status in JSON-RPC too", async () => {
    await mcp.greet();
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const json = { "Content-Type": "application/json" };
    const large = `{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(17_000_000)}"}`;
    for (const [status, method, headers, body] of [
      [406, "POST", { ...json, Accept: "text/html" }, ping],
      [406, "GET", { Accept: "application/json" }, undefined],
      [405, "DELETE", {}, undefined],
      [405, "GET", { "MCP-Protocol-Version": "2026-07-28" }, undefined],
      [400, "POST", { ...json, "MCP-Protocol-Version": "1999-01-01" }, ping],
      [400, "GET", { "Last-Event-ID": "what" }, undefined],
      [413, "POST", json, large],
    ] as const) {
      const answer = await mcp.ask(method, headers, body);
      expect(answer.status, answer.text).toBe(status);
      expect(answer.messages[0]).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) } });
    }
  });

  it("accepts a file of several megabytes", async () => {
    await mcp.greet();
    const files = [{ name: "a.bin", base64: "A".repeat(4_000_000) }];
    const message = { message: "Keep this", session: "ses_that_is_not_there", files };
    const { status, messages } = await mcp.post({
      ...{ id: 1, method: "tools/call", params: { name: "ask_supervisor", arguments: message } },
    });
    expect([status, messages[0]?.result.content[0].text]).toEqual([
      200,
      expect.stringContaining("There is no"),
    ]);
  });

  it("uses the codes and statuses of the revision without sessions", async () => {
    const tools = (headers: Record<string, string>) => mcp.modern("tools/list", {}, { headers });
    const missing = await mcp.modern("tools/call", ASK, { headers: { "Mcp-Name": "ask_other" } });
    expect([missing.status, missing.messages[0]?.error.code]).toEqual([400, -32_020]);
    const other = await tools({ "Mcp-Method": "tools/call" });
    expect([other.status, other.messages[0]?.error.code]).toEqual([400, -32_020]);
    const unknown = await mcp.modern("nothing/here");
    expect([unknown.status, unknown.messages[0]?.error.code]).toEqual([404, -32_601]);
    const meta = { "io.modelcontextprotocol/protocolVersion": "2027-01-01" };
    const newer = await mcp.modern(
      "tools/list",
      {},
      { meta, headers: { "MCP-Protocol-Version": "2027-01-01" } },
    );
    expect([newer.status, newer.messages[0]?.error]).toEqual([
      400,
      expect.objectContaining({
        code: -32_022,
        data: { supported: ["2026-07-28"], requested: "2027-01-01" },
      }),
    ]);
    const gone = await mcp.modern("resources/read", { uri: "parley://sessions/none" });
    expect(gone.messages[0]?.error).toMatchObject({ code: -32_602, data: { uri: "parley://sessions/none" } });
  });

  it("reports invalid tool arguments by name in the tool's result", async () => {
    await mcp.greet();
    const call = async (name: string, given: object) =>
      (await mcp.post({ id: 1, method: "tools/call", params: { name, arguments: given } })).messages.at(-1)
        ?.result;
    for (const [name, given, words] of [
      ["ask_supervisor", {}, "arguments.message"],
      ["ask_supervisor", { message: "x", temperature: 1 }, "temperature"],
      ["ask_supervisor", { message: "x", files: [{ name: "a" }] }, "one of id, text and base64"],
      ["ask_supervisor", { message: "x", files: [{ base64: "?" }] }, "must be Base64"],
      ["ask_supervisor", { message: "x", session: "none" }, "no session none"],
      ["read_session", { session: "none" }, "no session none"],
      ["answer_approval", { session: "none", approval: "a", decision: "maybe" }, "arguments.decision"],
    ] as const) {
      const result = await call(name, given);
      expect(result, name).toMatchObject({ isError: true });
      expect(result.content[0].text).toContain(words);
    }
  });
});

it("MCP lists every session exactly once, and completes the id of any", async () => {
  mcp.headers = { "X-Test-Owner": "dan" };
  await mcp.greet();
  const created = await Promise.all(
    Array.from({ length: 120 }, () => server.ask("POST", "/api/v1/sessions", {}, mcp.headers)),
  );
  const ids: string[] = created.map(({ json }) => json.session.id);
  const listed: string[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const { messages } = await mcp.post({ id: 1, method: "resources/list", params: { cursor } });
    const { resources, nextCursor } = messages[0]?.result ?? {};
    listed.push(...resources.map(({ name }: { name: string }) => name));
    cursor = nextCursor;
  }
  expect(listed.toSorted()).toEqual(ids.toSorted());
  const oldest = listed.at(-1) ?? "";
  const ref = { type: "ref/resource", uri: "parley://sessions/{id}" };
  const complete = async (value: string) =>
    (
      await mcp.post({
        ...{ id: 1, method: "completion/complete" },
        params: { ref, argument: { name: "id", value } },
      })
    ).messages[0]?.result.completion;
  expect(await complete(oldest)).toEqual({ values: [oldest], hasMore: false });
  const many = await complete("ses_");
  expect([many.values.length, many.hasMore]).toEqual([100, true]);
});

describe("another user's session", () => {
  it("gives the same response as one that does not exist (invariant 20)", async () => {
    const { id } = await server.begun();
    const uri = (name: string) => `parley://sessions/${name}`;
    const none = `${id.slice(0, -1)}${id.endsWith("x") ? "y" : "x"}`;
    await mcp.greet();
    const asked = async (name: string) => {
      const tool = (tool: string, more: object = {}) => ({
        name: tool,
        arguments: { session: name, ...more },
      });
      const texts = [];
      for (const [method, params] of [
        ["resources/read", { uri: uri(name) }],
        ["resources/read", { uri: `${uri(name)}/json` }],
        ["tools/call", tool("ask_supervisor", { message: "Hello" })],
        ["tools/call", tool("read_session")],
        ["tools/call", tool("await_answer")],
        ["tools/call", tool("cancel_run")],
        ["tools/call", tool("fork_session")],
        ["tools/call", tool("answer_approval", { approval: "a", decision: "approve" })],
      ] as const)
        texts.push(
          (await mcp.post({ id: 1, method, params }, { "X-Test-Owner": "bob" })).text.replaceAll(name, "ID"),
        );
      return texts;
    };
    expect(await asked(id)).toEqual(await asked(none));
    for (const text of await asked(id)) expect(text).toMatch(/There is no/);
    const list = await mcp.post({ id: 1, method: "resources/list" }, { "X-Test-Owner": "bob" });
    expect(list.messages[0]?.result.resources).toEqual([]);
  });

  it("cannot be resumed with a stolen event id", async () => {
    mcp.headers = { "X-Test-Owner": "cid" };
    await mcp.greet();
    const call = mcp.post({ id: 7, method: "tools/call", params: ASK });
    const { id, runId } = await begunBy("cid");
    await server.answers(id, runId, "Done");
    const [{ eventId = "" } = {}] = (await call).messages;
    expect((await mcp.ask("GET", { "Last-Event-ID": eventId })).messages.at(-1)?.result.content[0].text).toBe(
      "Done",
    );
    const other = await mcp.ask("GET", { "Last-Event-ID": eventId, "X-Test-Owner": "bob" });
    expect([other.status, other.text.includes("Done")]).toEqual([404, false]);
  });
});
