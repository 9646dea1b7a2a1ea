import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../sessions/testing/api-client.ts";
import { type PlatformProcess, startPlatformProcess } from "../supervisor/testing/platform-process.ts";
import { AiChat, textOf, toolsOf } from "./testing/ai-chat.ts";

const INVESTIGATE = "Which applications are out of sync, and what were the last five commits?";
const WRITE = 'Write "Order 20 blue mugs" to the file order.txt';

let platform: PlatformProcess;
let api: ApiClient;
beforeAll(async () => {
  platform = await startPlatformProcess();
  api = new ApiClient(platform.url);
}, 120_000);
afterAll(() => platform.stop());

const chatAt = (path = "/ai", options = {}) => new AiChat(`${platform.url}${path}`, options);
const recorded = async (sessionId: string) => (await api.ended(sessionId, 60_000)).messages;
const contents = async (sessionId: string) => (await recorded(sessionId)).map(({ content }) => content);
const runsIn = async (sessionId: string) => (await api.runs(sessionId)).length;

describe("a chat of the AI SDK", { timeout: 60_000 }, () => {
  it("is a session under its own id, and its text is the record's, byte for byte", async () => {
    const chat = chatAt();
    await chat.sendMessage({ text: INVESTIGATE });
    expect([chat.status, chat.error]).toEqual(["ready", undefined]);
    const messages = await recorded(chat.id);
    expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
    expect(textOf(chat.last)).toBe(messages.at(-1)?.content);
    expect(textOf(chat.last)).toContain("checkout (shop): OutOfSync");
    const { parts, metadata } = chat.last;
    expect(metadata).toMatchObject({ session: chat.id, agent: "supervisor", status: "completed" });
    expect(metadata?.usage).toMatchObject({ outputTokens: expect.any(Number) });
    expect(toolsOf(chat.last)).toEqual(
      expect.arrayContaining([
        ["argocd", "output-available"],
        ["git__log", "output-available"],
      ]),
    );
    expect(parts.find(({ type }) => type === "data-plan")).toMatchObject({
      data: {
        steps: [
          { agent: "argocd", state: "completed" },
          { agent: "git", state: "completed" },
        ],
      },
    });
    const words = parts.filter((part) => part.type === "reasoning");
    expect(words.map(({ providerMetadata }) => providerMetadata?.parley?.agent)).toEqual(
      expect.arrayContaining(["argocd", "git"]),
    );
    expect(parts.filter((part) => "state" in part && part.state === "streaming")).toEqual([]);
  });

  it("goes on in the same session with the next message, also from a page that was loaded anew", async () => {
    const chat = chatAt();
    await chat.sendMessage({ text: "What is 15% of 80?" });
    await chat.sendMessage({ text: "What is 3 + 4?" });
    const later = chatAt("/ai", { id: chat.id, messages: chat.messages });
    await later.sendMessage({ text: "What is 5 + 6?" });
    expect(await contents(chat.id)).toEqual(later.messages.map(textOf));
    expect(textOf(later.last)).toContain("11");
    expect(await runsIn(chat.id)).toBe(3);
  });

  it("has one agent to itself at that agent's address", async () => {
    const chat = chatAt("/ai/calculator");
    await chat.sendMessage({ text: "What is 15% of 80?" });
    expect(chat.last.metadata?.agent).toBe("calculator");
    expect(textOf(chat.last)).toContain("12");
    await chat.resumeStream();
    expect(textOf(chat.last)).toContain("12");
  });
});

describe("what an agent may not do unasked", { timeout: 60_000 }, () => {
  const asking = () =>
    chatAt("/ai", { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
  const approvalIn = ({ parts }: UIMessage) =>
    parts.flatMap((part) =>
      part.type === "dynamic-tool" && part.state === "approval-requested" ? [part] : [],
    );
  const isAnswered = (chat: AiChat) => () =>
    chat.status === "ready" && ["completed", "failed"].includes(chat.last.metadata?.status ?? "");

  it.each([
    ["approved", true, "Successfully wrote"],
    ["denied", false, "did not allow"],
  ])("is asked as a tool approval, and %s it goes on in the same message", async (_, approved, said) => {
    const written = join(platform.demoFolder, "order.txt");
    await rm(written, { force: true });
    const chat = asking();
    await chat.sendMessage({ text: WRITE });
    const [part] = approvalIn(chat.last);
    expect(part).toMatchObject({
      toolName: "files__write_file",
      input: { path: "order.txt", content: "Order 20 blue mugs" },
      approval: { requestReason: expect.stringContaining("May I call files__write_file") },
    });
    expect(chat.last.metadata?.status).toBe("waiting");
    expect(existsSync(written)).toBe(false);
    await chat.addToolApprovalResponse({ id: part?.approval.id ?? "", approved });
    await expect.poll(isAnswered(chat)).toBe(true);
    expect(chat.error).toBeUndefined();
    expect(chat.messages).toHaveLength(2);
    expect(textOf(chat.last)).toBe((await recorded(chat.id)).at(-1)?.content);
    expect(textOf(chat.last)).toContain(said);
    expect(toolsOf(chat.last)).toEqual([
      ["files", "output-available"],
      ["files__write_file", approved ? "output-available" : "output-denied"],
    ]);
    expect(existsSync(written) && (await readFile(written, "utf8"))).toBe(
      approved ? "Order 20 blue mugs" : false,
    );
    expect(await runsIn(chat.id)).toBe(1);
  });
});
