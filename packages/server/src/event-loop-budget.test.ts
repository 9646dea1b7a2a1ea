import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { GuardedPlatform } from "./access/testing/guarded-platform.ts";

/** Texts that have made somebody's scanner or regular expression look at them again and again. */
const SHAPES = [
  ...[" ", "\n", "\r\n", "A", "a", "Aa", "1+", ",", "=", "@", "-"],
  ...['"', "'", "`", "“", "[", "(", "<", "|", "*", "\\", "![", "[](", "> ", "- ", "**a ", "|-", "```\n"],
  ...["\ud83d", "😀", "ticket   ", "and then ", "http://", "in the "],
];
const LENGTH = 100_000;
/** No request may cost more, and none that costs a fraction of it more than its length explains. */
const MOST_SECONDS = 3;
const WORTH_A_LOOK_SECONDS = 0.5;

let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start({ PARLEY_RATE: "0", PARLEY_OFFLINE_MODEL_ENDPOINT: "on" });
}, 60_000);
afterAll(() => platform.stop());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${platform.url}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${platform.operator}`, "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  }).then(async (response) => {
    const text = await response.text();
    // What is refused at the door costs nothing, and proves nothing.
    if (!path.endsWith("/import"))
      expect([400, 401, 403, 404, 413, 429], text).not.toContain(response.status);
    return text;
  });

const json = async (path: string, body: unknown) => JSON.parse(await post(path, body));
const message = (text: string) => ({
  messageId: randomUUID(),
  role: "user",
  parts: [{ kind: "text", text }],
});
const agUi = (content: string) => ({
  ...{ threadId: randomUUID(), runId: randomUUID(), state: {}, tools: [], context: [], forwardedProps: {} },
  messages: [{ id: randomUUID(), role: "user", content }],
});

/** Each way in, until all that follows from the text is done. */
const ENTRIES: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  "the messages of a session": async (content) => {
    const { session } = await json("/api/v1/sessions", { title: content.slice(0, 100) });
    const at = `/api/v1/sessions/${session.id}`;
    const { run } = await json(`${at}/messages`, { content });
    await vi.waitFor(
      async () => {
        const { json: told } = await platform.ask("GET", `${at}/runs/${run.id}`, { key: platform.operator });
        expect(told.run.status).toMatch(/completed|failed/);
      },
      { timeout: 20_000, interval: 30 },
    );
  },
  "chat completions": (content) =>
    post("/v1/chat/completions", { model: "helper", messages: [{ role: "user", content }] }),
  "the offline model": (content) =>
    post("/offline-model/v1/chat/completions", { model: "parley", messages: [{ role: "user", content }] }),
  "AG-UI": (content) => post("/agui/helper", agUi(content)),
  "the AI SDK": (text) =>
    post("/ai/helper", {
      id: randomUUID(),
      messages: [{ id: randomUUID(), role: "user", parts: [{ type: "text", text }] }],
    }),
  MCP: (text) =>
    post(
      "/mcp",
      {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "ask_helper", arguments: { message: text } },
      },
      { Accept: "application/json, text/event-stream" },
    ),
  "A2A's message/send": (text) =>
    post("/", { jsonrpc: "2.0", id: 1, method: "message/send", params: { message: message(text) } }),
  "the import of a session": (content) => post("/api/v1/sessions/import", { content }),
  "the search": (text) =>
    platform.ask("GET", `/api/v1/search?q=${encodeURIComponent(text.slice(0, 4_000).toWellFormed())}`, {
      key: platform.operator,
    }),
};

async function secondsOf(send: (text: string) => Promise<unknown>, text: string): Promise<number> {
  const before = process.cpuUsage();
  await send(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

describe("a request costs what its length explains, whatever it says", () => {
  it.each(Object.entries(ENTRIES))("at %s", { timeout: 120_000 }, async (_, send) => {
    await send("hello");
    for (const shape of SHAPES) {
      const text = (length: number) => `hello ${shape.repeat(Math.ceil(length / shape.length))}`;
      const seconds = await secondsOf(send, text(LENGTH));
      expect(seconds, JSON.stringify(shape)).toBeLessThan(MOST_SECONDS);
      if (seconds < WORTH_A_LOOK_SECONDS) continue;
      const quarter = await secondsOf(send, text(LENGTH / 4));
      expect(seconds, JSON.stringify(shape)).toBeLessThan(8 * quarter + WORTH_A_LOOK_SECONDS);
    }
  });
});
