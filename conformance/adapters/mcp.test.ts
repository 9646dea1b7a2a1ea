import type { Client } from "@modelcontextprotocol/client";
import { McpServers } from "@parley/agent";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { answerText } from "../sessions/testing/answer-text.ts";
import { connectedClient, type McpPlatform, NEWEST, startMcpPlatform } from "./testing/mcp-platform.ts";

const VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25", NEWEST] as const;
const BOTH = ["2025-11-25", NEWEST] as const;

let platform: McpPlatform;
beforeAll(async () => {
  platform = await startMcpPlatform();
  platform.pace().hurry();
}, 180_000);
afterAll(() => platform.stop());

interface Answer {
  readonly answer: string;
  readonly session: string;
  readonly run: string;
  readonly state: string;
}

describe.each(VERSIONS)("a client that speaks %s", (version) => {
  it("lists the supervisor and each running agent as a tool", async () => {
    const client = await connectedClient(platform.url, { version });
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["ask_supervisor", "ask_argocd", "ask_calculator", "ask_slow"]),
    );
    expect(names).toEqual(expect.arrayContaining(["list_sessions", "read_session", "answer_approval"]));
    const argocd = tools.find(({ name }) => name === "ask_argocd");
    expect(argocd?.description).toContain("Argo CD");
    expect(argocd?.inputSchema.required).toEqual(["message"]);
  });

  it("calls a tool, receives progress, and gets exactly the recorded answer", async () => {
    const client = await connectedClient(platform.url, { version });
    const received: { progress: number; message?: string | undefined }[] = [];
    const result = await client.callTool(
      {
        name: "ask_supervisor",
        arguments: { message: "What is the version of Argo CD, and what is 6 times 7?" },
      },
      { onprogress: (progress) => received.push(progress) },
    );
    const { answer, session, run, state } = result.structuredContent as unknown as Answer;
    expect(state).toBe("completed");
    const { events, messages } = await platform.api.read(session);
    expect(result.content?.[0]).toEqual({ type: "text", text: messages.at(-1)?.content });
    expect(answer).toBe(messages.at(-1)?.content);
    expect(answer).toBe(answerText(events, run));
    expect(answer).toContain("42");
    expect(received.length).toBeGreaterThan(1);
    const steps = received.map(({ progress }) => progress);
    expect(steps).toEqual([...new Set(steps)].toSorted((one, other) => one - other));
    expect(received.map(({ message }) => message).join("\n")).toMatch(/asks argocd/);
    expect(received.map(({ message }) => message).join("\n")).toMatch(/of 2 steps done/);
  });
});

/** Asks in a new session; returns its id and the answer. */
async function asked(client: Client, message: string): Promise<{ session: string; answer: string }> {
  const { structuredContent } = await client.callTool({ name: "ask_calculator", arguments: { message } });
  return structuredContent as { session: string; answer: string };
}

async function given(client: Client, name: string, args: Record<string, unknown>) {
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  return (await client.callTool({ name, arguments: args })).structuredContent as any;
}

describe.each(BOTH)("sessions in %s", (version) => {
  it("are resources: paginated, readable as Markdown and as JSON, and completed by id or title", async () => {
    const client = await connectedClient(platform.url, { version });
    const { session, answer } = await asked(client, "What is 6 times 7?");
    const uri = `parley://sessions/${session}`;
    const { resources } = await client.listResources();
    expect(resources.find((one) => one.uri === uri)).toMatchObject({
      name: session,
      mimeType: "text/markdown",
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("parley://sessions/{id}");
    const [markdown] = (await client.readResource({ uri })).contents as { text: string }[];
    expect(markdown?.text).toContain(`## User\n\nWhat is 6 times 7?\n`);
    expect(markdown?.text).toContain(answer);
    const [json] = (await client.readResource({ uri: `${uri}/json` })).contents as { text: string }[];
    expect(JSON.parse(json?.text ?? "")).toEqual(await platform.api.read(session));
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "parley://sessions/{id}" },
      argument: { name: "id", value: session.slice(0, 8) },
    });
    expect(completion.values).toContain(session);
    await expect(client.readResource({ uri: "parley://sessions/none" })).rejects.toThrow("no such resource");
  });

  it("continue when named, and can be searched, read, forked, and given files", async () => {
    const client = await connectedClient(platform.url, { version });
    const { session } = await asked(client, "What is 2 times 8?");
    const message = "What is 3 times 5? It is about kumquats";
    const files = [{ name: "notes.txt", text: "kumquats" }];
    const again = await given(client, "ask_supervisor", { message, session, files });
    expect(again.session).toBe(session);
    const found = await given(client, "list_sessions", { words: "kumquats" });
    expect(found.sessions.map((one: { session: string }) => one.session)).toContain(session);
    const read = await given(client, "read_session", { session });
    expect(read.messages).toHaveLength(4);
    expect(read).toMatchObject({ state: "quiet", earlier: 0, page: `${platform.url}/s/${session}` });
    const { messages } = await platform.api.read(session);
    const [file] = (messages[2]?.metadata.files ?? []) as { id: string; name: string }[];
    expect(file?.name).toBe("notes.txt");
    const { contents } = await client.readResource({ uri: `parley://files/${file?.id}` });
    expect(contents[0]).toMatchObject({ mimeType: "text/plain", text: "kumquats" });
    const fork = await given(client, "fork_session", { session, message: read.messages[1].id });
    expect(fork.session).not.toBe(session);
    expect((await platform.api.read(fork.session)).messages).toHaveLength(2);
  });

  it("and agents trigger notifications when they are added and removed", { timeout: 180_000 }, async () => {
    const received: string[] = [];
    const changed = (what: string) => ({
      autoRefresh: false,
      debounceMs: 0,
      onChanged: () => void received.push(what),
    });
    const listChanged = { tools: changed("tools"), resources: changed("resources") };
    const client = await connectedClient(platform.url, { version, options: { listChanged } });
    await asked(client, "What is 1 plus 1?");
    await expect.poll(() => received).toContain("resources");
    const name = `another-${version.slice(0, 4)}`;
    await platform.api.call("POST", "/agents", { url: platform.slow.url, name });
    await expect.poll(() => received, { timeout: 60_000 }).toContain("tools");
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain(`ask_${name}`);
    received.splice(0);
    await platform.api.call("DELETE", `/agents/${name}`);
    await expect.poll(() => received, { timeout: 60_000 }).toContain("tools");
    expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain(`ask_${name}`);
  });
});

it("a subscriber is notified when its session changes (2026-07-28)", async () => {
  const client = await connectedClient(platform.url);
  const { session } = await asked(client, "What is 2 plus 2?");
  const uri = `parley://sessions/${session}`;
  const updated: string[] = [];
  client.setNotificationHandler(
    "notifications/resources/updated",
    async ({ params }) => void updated.push(params.uri),
  );
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  await platform.api.post(session, "And 3 plus 3?");
  await expect.poll(() => updated).toContain(uri);
  await subscription.close();
});

it("our own agents can use Parley as one of their MCP servers", async () => {
  const parley = { transport: "http", url: `${platform.url}/mcp`, headers: {} } as const;
  const servers = new McpServers({ parley }, { fetch });
  await servers.start();
  onTestFinished(() => servers.stop());
  expect(servers.tools().map(({ name }) => name)).toContain("parley__ask_calculator");
  const received: (string | undefined)[] = [];
  const result = await servers.call(
    "parley__ask_calculator",
    { message: "What is 6 times 7?" },
    { onProgress: ({ message }) => void received.push(message) },
  );
  expect(JSON.stringify(result)).toContain("42");
  expect(received.join()).toContain("calculator");
});
