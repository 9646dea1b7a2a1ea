import { realpathSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import type { ToolProgress } from "./mcp-connection.ts";
import { ToolCallError, ToolCancelledError, ToolTimeoutError, UnknownToolError } from "./mcp-errors.ts";
import type { ToolResult } from "./read-tool-result.ts";
import { runningServers, scripted } from "./testing/running-servers.ts";
import { scriptedHttpServer } from "./testing/scripted-http-server.ts";

const secret = "canary-3f9a77";

describe.each(["stdio", "http"] as const)("tools over %s (S0.1)", (transport) => {
  async function server() {
    if (transport === "stdio") return runningServers({ box: scripted() });
    const { url } = await scriptedHttpServer();
    return runningServers({ box: { transport: "http", url, headers: {} } });
  }

  it("are named server__tool and keep their annotations (S0.13)", async () => {
    const { servers } = await server();
    const tools = servers.tools();
    expect(tools.find((tool) => tool.name === "box__echo")).toMatchObject({
      server: "box",
      tool: "echo",
      title: "Echo",
      description: "Says what it is told.",
      inputSchema: { type: "object", required: ["say"] },
      annotations: { readOnlyHint: true, idempotentHint: true },
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(tools.find((tool) => tool.name === "box__fail")?.annotations).toEqual({ destructiveHint: true });
    expect(tools.every((tool) => tool.unavailable === undefined)).toBe(true);
  });

  it("return text, structured content, images and resources", async () => {
    const { servers } = await server();
    expect(await servers.call("box__echo", { say: "hello" })).toEqual({
      failed: false,
      text: "hello",
      files: [],
      cut: false,
    });
    expect(await servers.call("box__add", { a: 2, b: 3 })).toMatchObject({
      text: '{"sum":5}',
      structured: { sum: 5 },
    });
    const { files } = await servers.call("box__everything", {});
    expect(files.map(({ name }) => name)).toEqual(["image.png", "1.md", "2.bin", "third memo"]);
  });

  it("that report a failure return a result, not an error (S2.13)", async () => {
    const { servers } = await server();
    expect(await servers.call("box__fail", {})).toMatchObject({
      failed: true,
      text: "there is no more coffee",
    });
    expect((await servers.call("box__echo", { say: 1 })).failed).toBe(true);
    await expect(servers.call("box__nothing", {})).rejects.toThrow(UnknownToolError);
  });

  it("report progress", async () => {
    const { servers } = await server();
    const seen: ToolProgress[] = [];
    // What comes together with the answer may go under in it: so there is none before all three are seen.
    const enough = new AbortController();
    const onProgress = (progress: ToolProgress) => seen.push(progress) === 3 && enough.abort();
    const call = servers.call("box__slow", { steps: 1_000 }, { signal: enough.signal, onProgress });
    await expect(call).rejects.toThrow(ToolCancelledError);
    expect(seen.slice(0, 3)).toMatchObject([
      { progress: 1, total: 1_000, message: "step 1" },
      { progress: 2 },
      { progress: 3 },
    ]);
  });

  it("can be cancelled and time out, and remain usable", async () => {
    const { servers } = await server();
    const cancelling = new AbortController();
    const call = servers.call(
      "box__slow",
      { steps: 1_000 },
      { signal: cancelling.signal, onProgress: () => cancelling.abort() },
    );
    await expect(call).rejects.toThrow(ToolCancelledError);
    await expect(servers.call("box__slow", { steps: 1_000 }, { timeoutMs: 50 })).rejects.toThrow(
      ToolTimeoutError,
    );
    await expect(servers.call("box__echo", { say: "x" }, { signal: AbortSignal.abort() })).rejects.toThrow(
      ToolCancelledError,
    );
    expect((await servers.call("box__echo", { say: "still here" })).text).toBe("still here");
  });

  it("that request elicitation during a call get an error that it is not supported, and only that call fails", async () => {
    const { servers, phases } = await server();
    const outcome = await servers.call("box__ask", {}).catch((error: unknown) => error);
    expect(outcome).toSatisfy((it: unknown) => it instanceof ToolCallError || (it as ToolResult).failed);
    const words = outcome instanceof Error ? outcome.message : (outcome as ToolResult).text;
    expect(words).toMatch(/Cannot request input 'sure' \(elicitation\/create\): .* not declare/);
    expect((await servers.call("box__echo", { say: "still here" })).text).toBe("still here");
    expect(phases("box")).toEqual(["starting", "ready"]);
  });

  it("cannot block the event loop by the patterns in their output schemas", async () => {
    const { servers } = await server();
    const before = process.cpuUsage();
    expect((await servers.call("box__patterned", {})).structured).toEqual({ tag: "a".repeat(40) });
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  });

  it("may return 50 MB, which is truncated with a note", async () => {
    const { servers } = await server();
    const { text, cut } = await servers.call("box__big", { bytes: 50_000_000 });
    expect(cut).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThan(66_000);
    expect(text).toMatch(
      /ü\n\[only the first 65536 bytes .* 50000000 bytes of text\/plain; the rest was dropped\]$/,
    );
  });
});

describe("a program as an MCP server", () => {
  it("is notified when a call is cancelled", async () => {
    const { servers, events } = await runningServers({ box: scripted() });
    const cancelling = new AbortController();
    const options = { signal: cancelling.signal, onProgress: () => cancelling.abort() };
    await expect(servers.call("box__slow", { steps: 500 }, options)).rejects.toThrow(ToolCancelledError);
    await expect
      .poll(() => events)
      .toContainEqual({ type: "log", server: "box", line: "slow was told to stop" });
  });

  it("receives PATH, HOME, LANG, Node's compile cache, its configured variables, and nothing else", async () => {
    vi.stubEnv("PARLEY_TEST_CANARY", secret);
    const { servers } = await runningServers({ box: { ...scripted(), env: { NAMED: "yes" }, cwd: "/" } });
    const { variables, cwd } = JSON.parse((await servers.call("box__environment", {})).text);
    expect(["PATH", "HOME", "LANG", "NODE_COMPILE_CACHE", "NAMED"]).toEqual(
      expect.arrayContaining(variables),
    );
    expect(variables).toContain("NAMED");
    expect(cwd).toBe(realpathSync("/"));
  });

  it("has its stderr logged without its secrets", async () => {
    const { servers, events } = await runningServers({
      box: { ...scripted(), env: { SERVICE_TOKEN: secret } },
    });
    await servers.call("box__log", { line: `using ${secret} and Bearer abcdef123456` });
    await expect
      .poll(() => events)
      .toContainEqual({ type: "log", server: "box", line: "using [redacted] and Bearer [redacted]" });
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it("may add tools while it runs", async () => {
    const { servers } = await runningServers({ box: scripted() });
    await servers.call("box__grow", {});
    await expect.poll(() => servers.tools().map((tool) => tool.name)).toContain("box__grown");
    expect((await servers.call("box__grown", {})).failed).toBe(false);
  });

  it("may print a greeting to standard output first", async () => {
    const { servers, events } = await runningServers({ box: scripted("banner") });
    expect((await servers.call("box__echo", { say: "fine" })).text).toBe("fine");
    expect(events).toContainEqual({ type: "noise", server: "box", line: "Welcome to the scripted server!" });
  });

  it("may print some log lines there too", async () => {
    const { servers, events } = await runningServers({ box: scripted("chatty") });
    expect((await servers.call("box__echo", { say: "fine" })).text).toBe("fine");
    expect(events.filter(({ type }) => type === "noise")).toHaveLength(10);
  });

  it("may support only the newest protocol revision", async () => {
    const { servers, phases } = await runningServers({ box: scripted("modern") });
    expect(phases("box")).toEqual(["starting", "ready"]);
    expect((await servers.call("box__echo", { say: "new" })).text).toBe("new");
    await servers.call("box__grow", {});
    await expect.poll(() => servers.tools().map((tool) => tool.name)).toContain("box__grown");
  });

  it("answers many concurrent calls, each with its own result", async () => {
    const { servers } = await runningServers({ box: scripted() });
    const said = Array.from({ length: 200 }, (_, i) => `number ${i}`);
    const answers = await Promise.all(said.map((say) => servers.call("box__echo", { say })));
    expect(answers.map(({ text }) => text)).toEqual(said);
  });
});

describe("a changed configuration", () => {
  it("stops removed servers, starts new ones and leaves unchanged ones alone", async () => {
    const { servers, phases } = await runningServers({ same: scripted(), other: scripted() });
    await servers.configure({ same: scripted(), new: scripted("serve", "new ") });
    expect(servers.status().map(({ server, state }) => [server, state.phase])).toEqual([
      ["same", "ready"],
      ["new", "ready"],
    ]);
    expect(phases("same")).toEqual(["starting", "ready"]);
    expect(phases("other")).toEqual(["starting", "ready", "stopped"]);
    expect((await servers.call("new__echo", { say: "one" })).text).toBe("new one");
  });
});
