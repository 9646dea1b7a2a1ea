import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { backUp } from "../backup/back-up.ts";
import { agentFile, agentsFolder } from "../testing/agent-files.ts";
import { ServerProcess } from "../testing/server-process.ts";
import { Canaries } from "./testing/canaries.ts";
import { TraceCollector } from "./testing/trace-collector.ts";

vi.setConfig({ testTimeout: 180_000 });

/** A program that exits after printing everything it was given. */
const TELLTALE = "console.error('token', process.env.SERVICE_TOKEN, process.env.DSN); process.exit(3);";

/** A server that refuses everything, and repeats what it was sent in doing so. */
async function echo(status: number): Promise<{ url: string; heard(): string }> {
  let heard = "";
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const sent = JSON.stringify([request.url, request.rawHeaders, await text(request)]);
    heard += sent;
    const error = { message: `I do not like ${sent}`, code: "invalid_api_key" };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: () => heard };
}

/** An agent that wants a bearer token, and repeats the one that it gets in refusing it. */
async function refusingAgent(): Promise<{ url: string; heard(): string }> {
  let heard = "";
  const server = createServer((request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url?.startsWith("/.well-known/")) {
      const card = {
        ...{ name: "guarded", description: "Wants a token", version: "1", skills: [] },
        ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
        capabilities: { streaming: true },
        supportedInterfaces: [{ url: `${url}/`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
        securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
        securityRequirements: [{ schemes: { token: { list: [] } } }],
      };
      response.setHeader("content-type", "application/json").end(JSON.stringify(card));
      return;
    }
    heard += request.headers.authorization ?? "";
    response.writeHead(401, { "www-authenticate": `Bearer realm="${request.headers.authorization}"` });
    response.end(`no: ${request.headers.authorization}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: () => heard };
}

async function everyByteIn(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const read = files
    .filter((it) => it.isFile())
    .map((it) => readFile(join(it.parentPath, it.name), "latin1"));
  return (await Promise.all(read)).join("\n");
}

/** Asks, and remembers every answer with its headers. */
class Asker {
  told = "";

  async ask(url: string, init: RequestInit = {}): Promise<string> {
    const response = await fetch(url, { redirect: "manual", ...init });
    const body = await response.text();
    this.told += `${JSON.stringify([...response.headers])}${body}`;
    return body;
  }

  post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
    const content = typeof body === "string" ? body : JSON.stringify(body);
    return this.ask(url, {
      ...{ method: "POST", body: content },
      headers: { "content-type": "application/json", ...headers },
    });
  }
}

describe("a secret", () => {
  it("appears in no log, event, answer, metric, backup or trace, whatever fails (invariant 20)", async () => {
    const canaries = new Canaries();
    const [data, programs] = [await testFolder(), await testFolder({ "telltale.mjs": TELLTALE })];
    const collector = await TraceCollector.start();
    const [provider, mcp, receiver] = [await echo(401), await echo(401), await echo(500)];
    const agent = await refusingAgent();
    const agents = await agentsFolder(
      {
        "keyed.md": agentFile("Writes poems.", "model: openai:gpt-x"),
        "crashing.md": agentFile("Counts sheep.", "mcpServers: [telltale, remote]"),
      },
      {
        telltale: {
          ...{ command: "node", args: [join(programs, "telltale.mjs")] },
          env: {
            SERVICE_TOKEN: canaries.make("MCP environment"),
            DSN: `https://user:${canaries.make("MCP userinfo")}@example.com/`,
          },
        },
        remote: {
          url: `${mcp.url}/mcp`,
          headers: { authorization: `Bearer ${canaries.make("MCP header")}` },
        },
      },
    );
    const auth = { token: { kind: "bearer", token: `\${AGENT_TOKEN}` } };
    const listed = { guarded: { url: agent.url, auth }, away: { url: "http://127.0.0.1:9/", auth } };
    await writeFile(join(agents, "agents.json"), JSON.stringify({ agents: listed }));
    const server = new ServerProcess({
      ...{ PARLEY_DATA: data, PARLEY_AGENTS: agents, PARLEY_MODEL: "offline", PARLEY_LOG: "trace" },
      ...{ OPENAI_API_KEY: canaries.make("model key"), OPENAI_BASE_URL: `${provider.url}/v1` },
      ...{ AGENT_TOKEN: canaries.make("agents.json token"), PARLEY_EGRESS_ALLOW: "127.0.0.0/8" },
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${canaries.make("collector header")}`,
    });
    await server.agentUrl("keyed");
    const [url, keyed] = [await server.url(), await server.agentUrl("keyed")];
    const asker = new Asker();
    const api = `${url}/api/v1`;

    // Agents with credentials: one that refuses them, one that is away, and URLs that hold a password.
    const credentials = (name: string) => ({ token: { kind: "bearer", token: canaries.make(name) } });
    await asker.post(`${api}/agents`, {
      url: agent.url,
      name: "added",
      credentials: credentials("added agent"),
    });
    await asker.post(`${api}/agents`, {
      url: "http://127.0.0.1:9/",
      name: "gone",
      credentials: credentials("away agent"),
    });
    await asker.post(`${api}/agent-checks`, { url: agent.url, credentials: credentials("checked agent") });
    await asker.post(`${api}/agent-checks`, {
      url: `http://me:${canaries.make("agent userinfo")}@127.0.0.1:9/`,
    });
    await asker.post(`${api}/agents`, { url: `http://me:${canaries.make("added userinfo")}@127.0.0.1:9/` });
    await asker.post(`${api}/agents`, {
      url: agent.url,
      name: "added",
      credentials: { token: canaries.make("malformed credentials") },
    });

    // Runs of all agents, each of which fails in its way.
    const run = async (name: string) => {
      const { session } = JSON.parse(await asker.post(`${api}/sessions`, { agent: name }));
      await asker.post(`${api}/sessions/${session.id}/messages`, { content: "Count the sheep" });
      const ended = async () =>
        /"type":"agent_complete"/.test(await asker.ask(`${api}/sessions/${session.id}`));
      await expect.poll(ended, { timeout: 60_000, interval: 500 }).toBe(true);
    };
    await Promise.all(["added", "gone", "guarded", "away", "keyed", "crashing"].map(run));

    // Webhooks to a failing receiver, to a closed port, and with a password in the URL.
    const hook = (to: string, name: string) => ({
      url: to,
      token: canaries.make(`${name} token`),
      authentication: { scheme: "Bearer", credentials: canaries.make(`${name} credentials`) },
    });
    const secretPath = `/${canaries.make("webhook path")}?key=${canaries.make("webhook query")}`;
    const hooks = [
      hook(`${receiver.url}${secretPath}`, "failing webhook"),
      hook("http://127.0.0.1:9/", "unheard webhook"),
      hook(`http://me:${canaries.make("webhook userinfo")}@127.0.0.1:9/`, "refused webhook"),
    ];
    for (const [place, taskPushNotificationConfig] of hooks.entries()) {
      const message = { messageId: `m${place}`, role: "ROLE_USER", parts: [{ text: "hello" }] };
      const params = { message, configuration: { taskPushNotificationConfig } };
      const call = { jsonrpc: "2.0", id: 1, method: "SendMessage", params };
      await asker.post(url, call, { "a2a-version": "1.0" });
      await asker.post(`${keyed}/a2a/rest/message:send`, params, { "a2a-version": "1.0" });
    }
    await expect.poll(() => receiver.heard(), { timeout: 60_000 }).not.toBe("");

    // Callers with their own keys, at every endpoint, valid and invalid.
    const own = {
      authorization: `Bearer ${canaries.make("bearer header")}`,
      cookie: `session=${canaries.make("cookie")}`,
      "x-api-key": canaries.make("key header"),
      "proxy-authorization": `Basic ${canaries.make("proxy header")}`,
    };
    const paths = [
      "/",
      "/status",
      "/healthz",
      "/readyz",
      "/metrics",
      "/nothing",
      "/sessions",
      "/a2a",
      "/a2a/rest/tasks/x",
      ...["/v1/models", "/v1/chat/completions", "/v1/responses", "/v1/nothing"],
      ...["/agui", "/agui/nobody", "/ai", "/ai/none/stream"],
    ];
    const apiPaths = [
      "agents",
      "sessions",
      "sessions/none",
      "settings",
      "nothing",
      "files/none",
      "openapi.json",
    ];
    for (const path of [...paths, ...apiPaths.map((each) => `/api/v1/${each}`)])
      for (const base of [url, keyed]) {
        await asker.ask(base + path, { headers: own });
        await asker.post(base + path, "{", own);
        await asker.post(
          base + path,
          { jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "none" } },
          own,
        );
      }
    await asker.ask(`${url}/nothing?token=${canaries.make("query of a request")}`);
    await asker.ask(`${keyed}/nothing?token=${canaries.make("query of a request to an agent")}`);
    await asker.ask(`${url}/api/v1/nothing?token=${canaries.make("query of a request to the API")}`);
    // A GET there opens an endless stream.
    await asker.post(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method: "nothing" }, own);
    await asker.ask(`${url}/v1/nothing?api_key=${canaries.make("query of a request of OpenAI's")}`);
    await asker.ask(`${url}/metrics`);

    const backup = join(await testFolder(), "backup.tar.gz");
    const { manifest } = await backUp({ dataFolder: data, databaseUrl: undefined }, backup);
    await server.end();

    // They went where they belong, or this would show nothing.
    expect(canaries.in(provider.heard())).toEqual(["model key"]);
    expect(canaries.in(mcp.heard())).toEqual(["MCP header"]);
    expect(canaries.in(agent.heard())).toEqual(expect.arrayContaining(["agents.json token", "added agent"]));
    expect(canaries.in(receiver.heard())).toEqual(
      expect.arrayContaining(["failing webhook token", "failing webhook credentials", "webhook path"]),
    );
    expect(collector.spans.length).toBeGreaterThan(20);
    expect(canaries.names.length).toBeGreaterThan(25);
    expect({
      output: canaries.in(server.output),
      errors: canaries.in(server.errors),
      answers: canaries.in(asker.told),
      traces: canaries.in(collector.bodies),
      files: canaries.in(await everyByteIn(data)),
      backup: canaries.in(gunzipSync(await readFile(backup)).toString("latin1")),
      manifest: canaries.in(JSON.stringify(manifest)),
    }).toEqual({ output: [], errors: [], answers: [], traces: [], files: [], backup: [], manifest: [] });
    await expect.poll(() => server.errors).toContain("MCP server is down");
  });

  it("does not appear in errors about unusable databases or settings", async () => {
    const canaries = new Canaries();
    const settings: Record<string, string>[] = [
      { DATABASE_URL: `postgres://me:${canaries.make("database")}@127.0.0.1:9/none` },
      { DATABASE_URL: `mysql://me:${canaries.make("other database")}@127.0.0.1:9/none` },
      { OTEL_EXPORTER_OTLP_ENDPOINT: `me:${canaries.make("collector")}@there` },
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
        OTEL_EXPORTER_OTLP_HEADERS: `=${canaries.make("broken header")}`,
      },
    ];
    const refused = settings.map(async (setting) => {
      const server = new ServerProcess({ PARLEY_DATA: await testFolder(), PARLEY_LOG: "trace", ...setting });
      expect(await server.ended).toBe(1);
      return server.output + server.errors;
    });
    expect(canaries.in((await Promise.all(refused)).join("\n"))).toEqual([]);
  });
});
