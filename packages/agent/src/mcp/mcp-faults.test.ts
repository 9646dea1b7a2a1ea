import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { NO_JITTER } from "@parley/journal";
import { patient } from "@parley/testing/patient.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { ToolLostError, ToolUnavailableError } from "./mcp-errors.ts";
import { runningServers, scripted, stateOf } from "./testing/running-servers.ts";
import { scriptedHttpServer, sessionHttpServer, sseHttpServer } from "./testing/scripted-http-server.ts";

const HOUR_MS = 3_600_000;
const never = { firstDelayMs: HOUR_MS, maxDelayMs: HOUR_MS };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie still has its number; it is dead all the same.
    return !/^State:\s+Z/m.test(
      existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "",
    );
  } catch {
    return false;
  }
}

describe("an unavailable server is reported with a reason, and the others work", () => {
  const long = 30_000;
  const short = 6_000;

  it.each([
    [
      "does not exist",
      { ...scripted(), command: "no-such-command-here" },
      /no-such-command-here was not found/,
      long,
    ],
    ["may not be executed", { ...scripted(), command: "/etc" }, /\/etc may not be executed/, long],
    [
      "has no folder to run in",
      { ...scripted(), cwd: "/no/such" },
      /folder \/no\/such.*does not exist/,
      long,
    ],
    ["dies at once", scripted("die", "no licence"), /exit code 7; its last words were: no licence/, long],
    [
      "speaks something else",
      scripted("garbage"),
      /not MCP, but begins with: this is no MCP server/,
      HOUR_MS,
    ],
    ["never ends its first line", scripted("endless"), /a line of more than 67108864 bytes/, long],
    ["never answers", scripted("silent"), /did not answer in time/, short],
    [
      "is configured wrongly",
      { transport: "invalid", reason: "mcp.json:3: no command" } as const,
      /mcp.json:3/,
      long,
    ],
  ])("when it %s", { timeout: 180_000 }, async (_, broken, reason, startTimeoutMs) => {
    const { servers } = await runningServers(
      { broken, fine: scripted() },
      { startTimeoutMs, restarts: never },
    );
    expect(stateOf(servers, "broken")).toMatchObject({
      phase: "down",
      reason: expect.stringMatching(reason),
    });
    expect((await servers.call("fine__echo", { say: "I am fine" })).text).toBe("I am fine");
  });

  it.each([
    ["nothing listens", undefined, /nothing listens at its address/],
    ["is not to be entered", 401, /HTTP status 401/],
    ["is broken", 500, /HTTP status 500/],
    ["is a web page", 200, /./],
  ])("when over HTTP there %s", async (_, status, reason) => {
    const server = createServer((_request, response) => {
      response.writeHead(status ?? 200, { "content-type": "text/html" }).end("<h1>Hello</h1>");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    if (status === undefined) await new Promise((resolve) => server.close(resolve));
    else onTestFinished(() => void server.close());
    const { servers } = await runningServers(
      { broken: { transport: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} }, fine: scripted() },
      { startTimeoutMs: 5_000, restarts: never },
    );
    expect(stateOf(servers, "broken")).toMatchObject({
      phase: "down",
      reason: expect.stringMatching(reason),
    });
    expect(stateOf(servers, "fine")).toEqual({ phase: "ready" });
  });

  it("when the injected fetch refuses its address, which no request bypasses", async () => {
    const { url, requests } = await scriptedHttpServer();
    const refuse = () => Promise.reject(new Error("127.0.0.1 is a loopback address"));
    const { servers } = await runningServers(
      { inner: { transport: "http", url, headers: {} } },
      { fetch: refuse, restarts: never },
    );
    expect(stateOf(servers, "inner")).toMatchObject({
      phase: "down",
      reason: "127.0.0.1 is a loopback address",
    });
    expect(requests).toEqual([]);
  });
});

describe("a server that dies while it is in use", () => {
  it("fails the calls in flight with an unknown outcome, marks its tools unavailable, and recovers", async () => {
    const box = { ...scripted(), env: { DISK_PASSWORD: "canary-disk" } };
    const { servers, phases } = await runningServers(
      { box },
      { restarts: { firstDelayMs: 3_000, maxDelayMs: 3_000, jitter: NO_JITTER } },
    );
    const slow = servers.call("box__slow", { steps: 1_000 });
    const outcome = expect(slow).rejects.toThrow(ToolLostError);
    await expect(servers.call("box__die", { words: "the disk canary-disk is full" })).rejects.toThrow(
      /the disk \[redacted\] is full/,
    );
    await outcome;

    expect(stateOf(servers, "box")).toMatchObject({ phase: "down", retryInMs: 3_000 });
    const echo = servers.tools().find((tool) => tool.name === "box__echo");
    expect(echo?.unavailable).toMatch(/exit code 3; its last words were: the disk \[redacted\] is full/);
    await expect(servers.call("box__echo", { say: "?" })).rejects.toThrow(ToolUnavailableError);

    await expect.poll(() => stateOf(servers, "box"), { timeout: 60_000 }).toEqual({ phase: "ready" });
    expect((await servers.call("box__echo", { say: "back" })).text).toBe("back");
    expect(phases("box")).toEqual(["starting", "ready", "down", "restarting", "ready"]);
  });

  it("is retried at growing intervals", async () => {
    const { events } = await runningServers(
      { box: scripted("die", "again") },
      { restarts: { firstDelayMs: 20, maxDelayMs: 50, jitter: NO_JITTER } },
    );
    const pauses = () =>
      events.flatMap((it) => (it.type === "state" && it.state.phase === "down" ? [it.state.retryInMs] : []));
    await expect.poll(() => pauses().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    expect(pauses().slice(0, 3)).toEqual([20, 40, 50]);
  });

  it("over HTTP is detected by the next call, and used again when it is back", async () => {
    const first = await scriptedHttpServer();
    const { servers } = await runningServers({ box: { transport: "http", url: first.url, headers: {} } });
    await first.stop();
    await expect(servers.call("box__echo", { say: "?" })).rejects.toThrow(/lost|not ready/);
    await expect.poll(() => stateOf(servers, "box")?.phase).toMatch(/down|restarting/);
    await scriptedHttpServer({ port: first.port });
    await expect.poll(() => stateOf(servers, "box"), { timeout: 60_000 }).toEqual({ phase: "ready" });
    expect((await servers.call("box__echo", { say: "back" })).text).toBe("back");
  });
});

describe("stopping", () => {
  it("kills an unresponsive program and its children within two seconds", async () => {
    const folder = await testFolder();
    const { servers } = await runningServers({ box: scripted("stubborn", join(folder, "pid")) });
    const pids = [
      Number(readFileSync(join(folder, "pid"), "utf8")),
      Number((await servers.call("box__have_child", {})).text),
    ];
    expect(pids.map(isAlive)).toEqual([true, true]);
    const start = performance.now();
    await servers.stop();
    expect(performance.now() - start).toBeLessThan(patient(2_000));
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
    expect(stateOf(servers, "box")).toEqual({ phase: "stopped" });
  });

  it("fails the calls in flight", async () => {
    const { servers } = await runningServers({ box: scripted() });
    const outcome = expect(servers.call("box__slow", { steps: 1_000 })).rejects.toThrow(ToolLostError);
    await servers.stop();
    await outcome;
    await expect(servers.call("box__echo", { say: "?" })).rejects.toThrow(/it was stopped/);
  });

  it("also kills the children of a program that has died", async () => {
    const { servers } = await runningServers({ box: scripted() }, { restarts: never });
    const child = Number((await servers.call("box__have_child", {})).text);
    await expect(servers.call("box__die", { words: "bye" })).rejects.toThrow(ToolLostError);
    await expect.poll(() => isAlive(child)).toBe(false);
  });

  it("does not wait for a program that is still starting", async () => {
    const { McpServers } = await import("./mcp-servers.ts");
    const servers = new McpServers({ box: scripted("silent") }, { fetch, startTimeoutMs: 60_000 });
    const started = servers.start();
    const start = performance.now();
    await servers.stop();
    await started;
    expect(performance.now() - start).toBeLessThan(patient(5_000));
  });
});

describe("a server over HTTP", () => {
  it("may use a 2025 revision with sessions, and may lose them", async () => {
    const server = await sessionHttpServer();
    const { servers } = await runningServers({ box: { transport: "http", url: server.url, headers: {} } });
    expect((await servers.call("box__echo", { say: "one" })).text).toBe("one");
    await servers.call("box__grow", {});
    await expect.poll(() => servers.tools().map((tool) => tool.tool)).toContain("grown");
    server.forget();
    await expect(servers.call("box__echo", { say: "?" })).rejects.toThrow(/HTTP status 404/);
    await expect.poll(() => stateOf(servers, "box"), { timeout: 60_000 }).toEqual({ phase: "ready" });
    expect((await servers.call("box__echo", { say: "two" })).text).toBe("two");
  });

  it("may speak the older HTTP+SSE transport", async () => {
    const { url } = await sseHttpServer();
    const { servers } = await runningServers({ box: { transport: "sse", url, headers: {} } });
    expect((await servers.call("box__echo", { say: "hello" })).text).toBe("hello");
    const cancelling = new AbortController();
    const options = { signal: cancelling.signal, onProgress: () => cancelling.abort() };
    await expect(servers.call("box__slow", { steps: 100 }, options)).rejects.toThrow(/cancelled/);
  });

  it("that disappears is detected without a call", async () => {
    const server = await scriptedHttpServer();
    const { servers } = await runningServers(
      { box: { transport: "http", url: server.url, headers: {} } },
      { restarts: never },
    );
    await server.stop();
    await expect.poll(() => stateOf(servers, "box")?.phase, { timeout: 60_000 }).toBe("down");
    expect(servers.tools().every(({ unavailable }) => unavailable === "nothing listens at its address")).toBe(
      true,
    );
  });

  it("receives its configured headers, which no error or event reveals", async () => {
    const { url, requests } = await scriptedHttpServer();
    const headers = { authorization: "Bearer canary-88213", "x-team": "canary-team" };
    const { events } = await runningServers({ box: { transport: "http", url, headers } });
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.every((request) => request.authorization === headers.authorization)).toBe(true);
    expect(JSON.stringify(events)).not.toContain("canary");
  });

  it("reports changed tools", async () => {
    const server = await scriptedHttpServer();
    const { events } = await runningServers({ box: { transport: "http", url: server.url, headers: {} } });
    const listed = () => events.filter((event) => event.type === "tools").length;
    expect(listed()).toBe(1);
    server.toolsChanged();
    await expect.poll(listed).toBe(2);
  });
});
