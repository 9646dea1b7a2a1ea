import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerText } from "../sessions/testing/answer-text.ts";
import { connectedClient, type McpPlatform, NEWEST, startMcpPlatform } from "./testing/mcp-platform.ts";

const VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25", NEWEST] as const;

let platform: McpPlatform;
beforeAll(async () => {
  platform = await startMcpPlatform();
}, 60_000);
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
    const { answer, session, run, state } = result.structuredContent as Answer;
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
