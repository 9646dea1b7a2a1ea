import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
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
}, 180_000);
afterAll(() => platform.stop());

const chatAt = (path = "/ai", options = {}) => new AiChat(`${platform.url}${path}`, options);
const recorded = async (sessionId: string) => (await api.ended(sessionId, 60_000)).messages;
const contents = async (sessionId: string) => (await recorded(sessionId)).map(({ content }) => content);
const runsIn = async (sessionId: string) => (await api.runs(sessionId)).length;

describe("a chat of the AI SDK", { timeout: 300_000 }, () => {
  it("is a session under its own id, with exactly the record's text", async () => {
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

  it("continues in the same session with the next message, also after a reload", async () => {
    const chat = chatAt();
    await chat.sendMessage({ text: "What is 15% of 80?" });
    await chat.sendMessage({ text: "What is 3 + 4?" });
    const later = chatAt("/ai", { id: chat.id, messages: chat.messages });
    await later.sendMessage({ text: "What is 5 + 6?" });
    expect(await contents(chat.id)).toEqual(later.messages.map(textOf));
    expect(textOf(later.last)).toContain("11");
    expect(await runsIn(chat.id)).toBe(3);
  });

  it("talks to a single agent at that agent's URL", async () => {
    const chat = chatAt("/ai/calculator");
    await chat.sendMessage({ text: "What is 15% of 80?" });
    expect(chat.last.metadata?.agent).toBe("calculator");
    expect(textOf(chat.last)).toContain("12");
    await chat.resumeStream();
    expect(textOf(chat.last)).toContain("12");
  });
});

describe("a tool call that needs approval", { timeout: 300_000 }, () => {
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
  ])("is a tool approval part, and once %s it continues in the same message", async (_, approved, said) => {
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

describe("files", { timeout: 300_000 }, () => {
  it("sent inline are stored with their message, and remote ones are not fetched", async () => {
    const chat = chatAt();
    const file = { type: "file", mediaType: "text/plain", filename: "note.txt" } as const;
    await chat.sendMessage({
      text: "What is 1 + 2?",
      files: [{ ...file, url: `data:text/plain;base64,${btoa("hi")}` }],
    });
    expect(chat.error).toBeUndefined();
    const [asked] = await recorded(chat.id);
    expect(asked?.metadata.files).toMatchObject([{ name: "note.txt", mediaType: "text/plain", size: 2 }]);
    const other = chatAt();
    await other.sendMessage({ text: "Read this", files: [{ ...file, url: "https://example.com/note.txt" }] });
    expect(other.error?.message).toContain("send files as data: URLs");
  });
});

describe("the chat endpoint", { timeout: 300_000 }, () => {
  const refused = async (chat: AiChat, text = "Hello") => {
    await chat.sendMessage({ text });
    const { statusCode, message } = chat.error as Error & { statusCode: number };
    expect(chat.status).toBe("error");
    return [statusCode, message];
  };

  /** The response to the headers of a body of this many bytes. */
  const announced = async (bytes: number) => {
    const headers = { "content-type": "application/json", "content-length": bytes };
    const sent = request(`${platform.url}/ai`, { method: "POST", headers });
    sent.flushHeaders();
    const [response] = await once(sent, "response");
    const said = await text(response);
    sent.destroy();
    return [response.statusCode, said];
  };

  it("rejects a request with one sentence, which the client shows verbatim", async () => {
    expect(await refused(chatAt("/ai/nobody"))).toEqual([404, expect.stringContaining("nobody")]);
    expect(await refused(chatAt("/ai", { body: { tools: { now: {} } } }))).toEqual([
      ...[422, expect.stringMatching(/^body\.tools: Tools of the client/)],
    ]);
    expect(await refused(chatAt("/ai", { body: { system: "Be brief" } }))).toEqual([
      ...[422, expect.stringContaining("body.system")],
    ]);
    expect(await refused(chatAt(), "x".repeat(500_001))).toEqual([
      ...[422, expect.stringContaining("body.messages.0.parts.0.text")],
    ]);
    expect(await announced(17_000_000)).toEqual([413, expect.stringContaining("bytes")]);
    const malformed = await fetch(`${platform.url}/ai`, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: "{" },
    });
    expect([malformed.status, await malformed.text()]).toEqual([400, "The body is not JSON"]);
    expect(malformed.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  it("lists unused fields, and only those, in X-Parley-Unused", async () => {
    const unused: (string | null)[] = [];
    const spying: typeof fetch = async (...asked) => {
      const response = await fetch(...asked);
      unused.push(response.headers.get("x-parley-unused"));
      expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
      return response;
    };
    await chatAt("/ai", { fetch: spying, body: { temperature: 1, model: "x" } }).sendMessage({
      text: "What is 1 + 1?",
    });
    await chatAt("/ai", { fetch: spying }).sendMessage({ text: "What is 1 + 1?" });
    expect(unused).toEqual(["temperature, model", null]);
  });

  it("returns no error when there is nothing to resume", async () => {
    const chat = chatAt();
    await chat.resumeStream();
    expect([chat.status, chat.error, chat.messages]).toEqual(["ready", undefined, []]);
  });
});
