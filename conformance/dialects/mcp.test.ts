import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { answerText } from "../sessions/testing/answer-text.ts";
import { connectedClient, type McpPlatform, NEWEST, startMcpPlatform } from "./testing/mcp-platform.ts";

const VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25", NEWEST] as const;

const CLI = resolve(import.meta.dirname, "../../packages/cli/src/main.ts");

let platform: McpPlatform;
beforeAll(async () => {
  platform = await startMcpPlatform();
}, 120_000);
afterAll(() => platform.stop());

interface Answer {
  readonly answer: string;
  readonly session: string;
  readonly run: string;
  readonly state: string;
}

describe.each(VERSIONS)("a client that speaks %s", (version) => {
  it("finds the supervisor and each agent that is up as a tool", async () => {
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

  it("asks, hears how far it has come, and has the answer as the record has it, byte for byte", async () => {
    const client = await connectedClient(platform.url, { version });
    const heard: { progress: number; message?: string | undefined }[] = [];
    const result = await client.callTool(
      {
        name: "ask_supervisor",
        arguments: { message: "What is the version of Argo CD, and what is 6 times 7?" },
      },
      { onprogress: (progress) => heard.push(progress) },
    );
    const { answer, session, run, state } = result.structuredContent as unknown as Answer;
    expect(state).toBe("completed");
    const { events, messages } = await platform.api.read(session);
    expect(result.content?.[0]).toEqual({ type: "text", text: messages.at(-1)?.content });
    expect(answer).toBe(messages.at(-1)?.content);
    expect(answer).toBe(answerText(events, run));
    expect(answer).toContain("42");
    expect(heard.length).toBeGreaterThan(1);
    const steps = heard.map(({ progress }) => progress);
    expect(steps).toEqual([...new Set(steps)].toSorted((one, other) => one - other));
    expect(heard.map(({ message }) => message).join("\n")).toMatch(/asks argocd/);
    expect(heard.map(({ message }) => message).join("\n")).toMatch(/of 2 steps done/);
  });
});

describe("parley mcp stdio, for clients that only start programs", () => {
  it.each(["legacy", "auto"] as const)("passes everything on, to whoever begins %s", async (mode) => {
    const client = new Client(
      { name: "desktop", version: "1.0.0" },
      { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
    );
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: "approve" } };
    });
    const args = [CLI, "mcp", "stdio", "--server", platform.url];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    onTestFinished(() => client.close());
    const heard: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: "ask_argocd", arguments: { message: "Sync the application checkout" } },
      { onprogress: ({ message }) => void heard.push(message) },
    );
    const { session, answer } = result.structuredContent as unknown as Answer;
    expect(answer).toBe((await platform.api.read(session)).messages.at(-1)?.content);
    expect(asked).toHaveLength(1);
    expect(heard.length).toBeGreaterThan(0);
  });

  it("says who is missing where nobody answers", async () => {
    const client = new Client(
      { name: "desktop", version: "1.0.0" },
      { versionNegotiation: { mode: "legacy" } },
    );
    const args = [CLI, "mcp", "stdio", "--server", "http://127.0.0.1:9"];
    const transport = new StdioClientTransport({ command: process.execPath, args });
    await expect(client.connect(transport)).rejects.toThrow("Nobody answers at http://127.0.0.1:9");
    await client.close();
  });
});
