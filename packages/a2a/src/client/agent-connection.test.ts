import { describe, expect, it } from "vitest";
import { hello, type OddCall, oddAgent, oddCard, read, task } from "./testing/odd-agent.ts";
import type { Transport } from "./transports/transport.ts";

const endpoints =
  (...versions: string[]) =>
  (url: string) =>
    oddCard(url, {
      supportedInterfaces: versions.map((protocolVersion) => ({
        url: `${url}/rpc`,
        protocolBinding: "JSONRPC",
        protocolVersion,
      })),
    });

const v03Task = { kind: "task", id: "t1", contextId: "c1", status: { state: "completed" } };

describe("a connection to an agent (+11)", () => {
  it.each([
    ["VersionNotSupported", -32009],
    ["MethodNotFound", -32601],
    ["InvalidRequest, as the first servers say", -32600],
  ])("switches to another dialect after %s, and keeps it", async (_, code) => {
    const agent = await oddAgent(
      (call) => (call.method.includes("/") ? call.result(v03Task) : call.error(code)),
      endpoints("1.0", "0.3"),
    );
    const client = await agent.connect();
    expect(client.endpoint.dialect).toBe("1.0");
    expect(await client.send(hello())).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
    expect(client.endpoint.dialect).toBe("0.3");
    await client.get({ id: "t1" });
    expect(agent.calls.map(({ method }) => method)).toEqual(["SendMessage", "message/send", "tasks/get"]);
    expect(agent.heard.fellBack).toBe(1);
  });

  it("falls back to older dialects for streams too, down to v0.1 and the seed's form of it (S1.15–17)", async () => {
    const drawn = (state: string) => ({
      type: "taskStatusUpdate",
      task: { id: "chosen", sessionId: "s", status: { state } },
    });
    const piece = (text: string, append: boolean) => ({
      type: "taskArtifactUpdate",
      taskId: "chosen",
      artifacts: [{ index: 0, append, parts: [{ type: "text", text }] }],
    });
    const agent = await oddAgent(
      (call: OddCall) => {
        if (call.method !== "tasks/sendSubscribe") return call.error(-32601);
        const stream = call.stream().send(drawn("submitted")).send(drawn("working"));
        return stream.send(piece("2+2 is ", false)).send(piece("4", true)).send(drawn("completed")).end();
      },
      (url) => ({ name: "Old", url: `${url}/`, version: "1", capabilities: { streaming: true }, skills: [] }),
    );
    const seen = await read((await agent.connect()).stream(hello()));
    expect(seen.states).toEqual(["SUBMITTED", "WORKING", "COMPLETED"]);
    expect(Object.values(seen.texts)).toEqual(["2+2 is 4"]);
    expect(agent.calls.at(-1)?.params.id).toMatch(/^[\w-]{36}$/);
  });

  it("keeps its dialect when none fits, and reports the first error", async () => {
    const agent = await oddAgent((call) => call.error(-32601, `no ${call.method}`), endpoints("1.0", "0.3"));
    const client = await agent.connect();
    await expect(client.get({ id: "t1" })).rejects.toMatchObject({
      kind: "MethodNotFound",
      message: "no GetTask",
    });
    expect(client.endpoint.dialect).toBe("1.0");
  });

  it("finds the task in v0.1 by our chosen id when the response is lost", async () => {
    let exists = true;
    const agent = await oddAgent(
      (call: OddCall) => {
        const id = String(call.params.id);
        if (call.method === "tasks/sendSubscribe") return call.response.destroy();
        const all = {
          id,
          status: { state: "completed" },
          artifacts: [{ index: 0, parts: [{ type: "text", text: "4" }] }],
        };
        if (!exists) return call.error(-32001);
        return call.method === "tasks/get" ? call.result(all) : call.error(-32004);
      },
      (url) => ({
        ...{ name: "Old", url: `${url}/`, version: "1", capabilities: { streaming: true }, skills: [] },
        authentication: { schemes: [] },
      }),
    );
    const client = await agent.connect();
    expect(Object.values((await read(client.stream(hello()))).texts)).toEqual(["4"]);
    exists = false;
    await expect(read(client.stream(hello()))).rejects.toMatchObject({ code: "outcome_unknown" });
    const [sent, ...asked] = agent.calls.slice(0, 3).map(({ method, params }) => [method, params.id]);
    expect(asked).toEqual([
      ["tasks/resubscribe", sent?.[1]],
      ["tasks/get", sent?.[1]],
    ]);
  });

  it("refuses webhooks without a call if the card does not declare them", async () => {
    const silent = (url: string) => ({ ...oddCard(url), capabilities: { streaming: true } });
    const agent = await oddAgent((call) => call.error(-32603), silent);
    const client = await agent.connect();
    const unsupported = { kind: "PushNotificationNotSupported" };
    const named = { taskId: "t", id: "1" };
    await expect(client.createPush({ ...named, url: "https://example.com" })).rejects.toMatchObject(
      unsupported,
    );
    await expect(client.getPush(named)).rejects.toMatchObject(unsupported);
    await expect(client.listPush({ taskId: "t" })).rejects.toMatchObject(unsupported);
    await expect(client.deletePush(named)).rejects.toMatchObject(unsupported);
    expect(agent.calls).toEqual([]);
  });

  it("sends the version and the shared extensions in the dialect's own header", async () => {
    const extensions = ["urn:parley:ext:run:1", "urn:other", "urn:unknown"].map((uri) => ({ uri }));
    for (const [version, header] of [
      ["1.0", "a2a-extensions"],
      ["0.3", "x-a2a-extensions"],
    ] as const) {
      const agent = await oddAgent(
        (call) => call.result(version === "1.0" ? task("WORKING") : v03Task),
        (url) => ({ ...endpoints(version)(url), capabilities: { extensions } }),
      );
      await (await agent.connect({ extensions: ["urn:other"] })).get({ id: "t1" });
      const headers = agent.calls[0]?.headers;
      expect(headers?.[header]).toBe("urn:parley:ext:run:1, urn:other");
      expect(headers?.["a2a-version"]).toBe(version === "1.0" ? "1.0" : undefined);
    }
  });

  it("is refused when the agent requires an unknown extension", async () => {
    const capabilities = { extensions: [{ uri: "urn:needed", required: true }] };
    const agent = await oddAgent(
      (call) => call.result(task("WORKING")),
      (url) => oddCard(url, { capabilities }),
    );
    await expect(agent.connect()).rejects.toMatchObject({ kind: "ExtensionSupportRequired" });
    await agent.connect({ extensions: ["urn:needed"] });
  });

  it("can use a supplied transport, such as gRPC for v0.1", async () => {
    const agent = await oddAgent(
      () => undefined,
      (url) =>
        oddCard(url, {
          supportedInterfaces: [{ url: "127.0.0.1:9", protocolBinding: "GRPC", protocolVersion: "0.1" }],
        }),
    );
    await expect(agent.connect()).rejects.toMatchObject({ code: "no_usable_endpoint" });
    const asked: string[] = [];
    const transport = {
      call: async (operation: string) => {
        asked.push(operation);
        return task("WORKING");
      },
      open: () => [],
    } as unknown as Transport;
    const client = await agent.connect({
      transports: [({ binding }) => (binding === "GRPC" ? transport : undefined)],
    });
    await client.get({ id: "t1" });
    expect(asked).toEqual(["get"]);
  });

  it("passes on the endpoint's tenant, over REST in the path", async () => {
    const agent = await oddAgent(
      ({ response }) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(task("WORKING"))),
      (url) =>
        oddCard(url, {
          supportedInterfaces: [
            { url: `${url}/rest/`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0", tenant: "a b" },
          ],
        }),
    );
    const client = await agent.connect();
    await client.get({ id: "x/y", historyLength: 2 });
    expect(agent.calls[0]?.url).toBe("/rest/a%20b/tasks/x%2Fy?historyLength=2");
    await expect(client.get({ id: ".." })).rejects.toMatchObject({ kind: "InvalidParams" });
  });
});
