import { describe, expect, it } from "vitest";
import { runExtension } from "../extension/extension-member.ts";
import { AgentServer, errorOf, inDialects } from "./testing/agent-server.ts";

const quick = { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "quick" }] } };
const uri = runExtension.uri;

describe("extensions", () => {
  const other = { uri: "urn:other" };
  const capabilities = { streaming: true, extensions: [runExtension, other] };

  it("are named in the response if requested and supported, also for streams", async () => {
    const agent = await AgentServer.start({ capabilities });
    const headers = { "a2a-extensions": `urn:unknown, ${uri},${uri}` };
    for (const response of [
      await agent.rpc("SendMessage", quick, headers),
      await agent.rpc("SendStreamingMessage", quick, headers),
      await agent.rest("POST", "/message:send", quick, headers),
      await agent.rest("POST", "/message:stream", quick, headers),
      await agent.rest("GET", "/tasks", undefined, { "x-a2a-extensions": uri }),
    ]) {
      expect(response.headers.get("a2a-extensions")).toBe(uri);
      await response.text();
    }
  });

  it("are named in the older header in v0.3, and omitted when none is active", async () => {
    const agent = await AgentServer.start({ capabilities });
    const [, [, send, , params]] = inDialects("quick");
    const response = await agent.rpc(send, params, { "x-a2a-extensions": `${uri}, urn:other` });
    expect(response.headers.get("x-a2a-extensions")).toBe(`${uri}, urn:other`);
    expect(response.headers.get("a2a-extensions")).toBeNull();
    const none = await agent.rpc(send, params, { "x-a2a-extensions": "urn:unknown" });
    expect(none.headers.get("x-a2a-extensions")).toBeNull();
  });

  it("cause ExtensionSupportRequired if a required one is not named (A2A-EXT-1)", async () => {
    const required = { streaming: true, extensions: [{ ...other, required: true }] };
    const agent = await AgentServer.start({ capabilities: required });
    const codes = inDialects("quick").map(
      async ([, send, , params]) => (await errorOf(agent.rpc(send, params))).code,
    );
    // v0.1 knows no such error: the nearest is that the operation is not supported.
    expect(await Promise.all(codes)).toEqual([-32008, -32008, -32004]);
    const response = await agent.rest("GET", "/tasks");
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining("EXTENSION_SUPPORT_REQUIRED"),
    ]);
    const named = await agent.rest("GET", "/tasks", undefined, { "a2a-extensions": "urn:other" });
    expect(named.status).toBe(200);
  });
});

describe("media types", () => {
  const image = { raw: "aGk=", mediaType: "image/png" };
  const legacy = { file: { bytes: "aGk=", mimeType: "image/png" } };
  const parts = [[image], [{ kind: "file", ...legacy }], [{ type: "file", ...legacy }]];

  it("are refused if the card does not list them, sent or streamed, in every dialect (A2A-SEND-4)", async () => {
    const agent = await AgentServer.start({ inputModes: ["text/*", "application/json"] });
    for (const [n, [, send, stream, params]] of inDialects("quick").entries()) {
      const asked = { ...params, message: { ...params.message, parts: parts[n] } };
      for (const method of [send, stream]) {
        const error = await errorOf(agent.rpc(method, asked));
        expect([error.code, JSON.stringify(error)]).toEqual([-32005, expect.stringMatching(/image|content/)]);
      }
    }
    const rest = await agent.rest("POST", "/message:send", {
      message: { ...quick.message, parts: parts[0] },
    });
    expect([rest.status, (await errorOf(rest)).message]).toEqual([
      400,
      "message.parts[0] is image/png, but this agent takes text/*, application/json",
    ]);
  });

  it.each([
    ["text/markdown; charset=utf-8", ["text/*"]],
    ["Application/JSON", ["text/plain", "application/json"]],
    ["image/png", ["*/*"]],
    [undefined, ["text/plain"]],
  ])("%s is one of %j", async (mediaType, inputModes) => {
    const agent = await AgentServer.start({ inputModes });
    const message = { ...quick.message, parts: [{ text: "quick", mediaType }] };
    expect((await agent.rest("POST", "/message:send", { message })).status).toBe(200);
  });
});

describe("an agent whose card declares no streaming", () => {
  it("refuses both stream operations in every dialect, and still accepts messages (A2A-STREAM-5)", async () => {
    const agent = await AgentServer.start({ capabilities: {} });
    for (const [, send, stream, params] of inDialects("quick")) {
      expect((await errorOf(agent.rpc(stream, params))).code).toBe(-32004);
      expect(await (await agent.rpc(send, params)).json()).toHaveProperty("result");
    }
    for (const method of ["SubscribeToTask", "tasks/resubscribe"]) {
      expect((await errorOf(agent.rpc(method, { id: "x" }))).code).toBe(-32004);
    }
    expect((await agent.rest("POST", "/message:stream", quick)).status).toBe(400);
    expect((await agent.rest("POST", "/tasks/x:subscribe")).status).toBe(400);
  });
});

describe("the extended card", () => {
  const asks = [
    (agent: AgentServer, headers = {}) => agent.rpc("GetExtendedAgentCard", {}, headers),
    (agent: AgentServer, headers = {}) => agent.rpc("agent/getAuthenticatedExtendedCard", undefined, headers),
    (agent: AgentServer, headers = {}) => agent.rest("GET", "/extendedAgentCard", undefined, headers),
  ];
  const alice = { authorization: "Bearer alice" };
  const declared = { streaming: true, extendedAgentCard: true };

  it.each(asks)("is not supported where it is not declared", async (ask) => {
    const response = await ask(await AgentServer.start({ extendedCard: { name: "secret" } }), alice);
    expect(await response.text()).toMatch(/-32004|UNSUPPORTED_OPERATION/);
  });

  it.each(asks)(
    "is reported as not configured where it is declared but missing (A2A-CARD-3)",
    async (ask) => {
      const response = await ask(await AgentServer.start({ capabilities: declared }), alice);
      expect(await response.text()).toMatch(/-32007|EXTENDED_AGENT_CARD_NOT_CONFIGURED/);
    },
  );

  it.each(asks)("is served to authenticated callers only (A2A-CARD-4)", async (ask) => {
    const agent = await AgentServer.start({ capabilities: declared, extendedCard: { name: "secret" } });
    const refused = await ask(agent);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(await refused.text()).not.toContain("secret");
    expect(await (await ask(agent, alice)).text()).toContain('{"name":"secret"}');
  });
});

describe("a storage that refuses writes", () => {
  it("is answered with 503 and Retry-After, never with its cause (invariant 18)", async () => {
    const agent = await AgentServer.start();
    await agent.journal.close();
    const answers = [
      await agent.rest("POST", "/message:send", quick),
      await agent.rest("POST", "/message:stream", quick),
      await agent.rpc("SendMessage", quick),
      await agent.rpc("message/stream", inDialects("quick")[1][3]),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await answer.text()).toMatch(/"Internal error"/);
    }
    expect(agent.reported).toHaveLength(answers.length);
  });
});

describe("a cursor from another stream", () => {
  it("gets the current task as a reset (invariant 5)", async () => {
    const agent = await AgentServer.start();
    const { task } = (await (await agent.rest("POST", "/message:send", quick)).json()) as {
      task: { id: string };
    };
    const headers = { "last-event-id": "1000" };
    const watched = await agent.rest("GET", `/tasks/${task.id}:subscribe`, undefined, headers);
    expect(await watched.text()).toMatch(/^id: \d+\ndata: \{"task":.*COMPLETED/);
    const overRpc = await agent.rpc("SubscribeToTask", { id: task.id }, headers);
    expect(await overRpc.text()).toMatch(/"result":\{"task":.*COMPLETED/);
    expect(agent.reported).toEqual([]);
  });
});

describe("a v0.1 client", () => {
  it("finds its chosen id in a response without a task, sent or streamed", async () => {
    const agent = await AgentServer.start();
    const [, , [, send, stream, params]] = inDialects("reply");
    const sent = (await (await agent.rpc(send, params)).json()) as { result: object };
    expect(sent.result).toMatchObject({ id: "mine", sessionId: "s" });
    const streamed = await (await agent.rpc(stream, params)).text();
    expect(streamed).toContain('"id":"mine"');
    expect(streamed).toContain("an answer");
  });
});

describe("HTTP methods", () => {
  it.each(["/a2a/jsonrpc", "/a2a/jsonrpc/", "/a2a", "/a2a/", "/message/stream"])(
    "other than POST are refused at %s",
    async (path) => {
      const agent = await AgentServer.start();
      for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
        const response = await fetch(agent.url + path, { method });
        expect([
          response.status,
          response.headers.get("allow"),
          response.headers.get("content-type"),
        ]).toEqual([405, "POST, OPTIONS", "application/json"]);
        expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32601 } });
      }
      const head = await fetch(agent.url + path, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([405, ""]);
      const options = await fetch(agent.url + path, { method: "OPTIONS" });
      expect([options.status, options.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
    },
  );

  it("leave GET on the root to the next listener", async () => {
    const agent = await AgentServer.start();
    expect(await (await fetch(agent.url)).text()).toBe("next");
  });

  it("are answered over REST as the path defines them", async () => {
    const agent = await AgentServer.start();
    const options = await agent.rest("OPTIONS", "/tasks/t:subscribe");
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, POST, OPTIONS"]);
    const head = await agent.rest("HEAD", "/tasks");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await agent.rest("HEAD", "/tasks/t:subscribe")).status).toBe(405);
    const put = await agent.rest("PUT", "/tasks/t");
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  it("need no body for cancel and subscribe", async () => {
    const agent = await AgentServer.start();
    const body = {
      message: { ...quick.message, parts: [{ text: "wait" }] },
      configuration: { returnImmediately: true },
    };
    const { task } = (await (await agent.rest("POST", "/message:send", body)).json()) as {
      task: { id: string };
    };
    const watched = await agent.rest("POST", `/tasks/${task.id}:subscribe`);
    expect((await agent.rest("POST", `/tasks/${task.id}:cancel`)).status).toBe(200);
    expect(await watched.text()).toContain("TASK_STATE_CANCELED");
  });
});
