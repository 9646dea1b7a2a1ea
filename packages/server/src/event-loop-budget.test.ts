import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { longestTurn } from "@parley/testing/cpu-time.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { GuardedPlatform } from "./access/testing/guarded-platform.ts";

/** Texts known to cause super-linear scanning or backtracking. */
const SHAPES = [
  ...[" ", "\n", "\r\n", "A", "a", "Aa", "1+", ",", "=", "@", "-"],
  ...['"', "'", "`", "“", "[", "(", "<", "|", "*", "\\", "![", "[](", "> ", "- ", "**a ", "|-", "```\n"],
  ...["\ud83d", "😀", "ticket   ", "and then ", "http://", "in the "],
];
const LENGTH = 100_000;
/** No request may cost more, and none that costs a fraction of it more than its length explains. */
const MAX_SECONDS = 3;
const WORTH_A_LOOK_SECONDS = 0.5;

let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start({ PARLEY_RATE: "0", PARLEY_OFFLINE_MODEL_ENDPOINT: "on" });
}, 180_000);
afterAll(() => platform.stop());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${platform.url}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${platform.operator}`, "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  }).then(async (response) => {
    const text = await response.text();
    // A refused request costs nothing, and proves nothing.
    expect([400, 401, 403, 404, 413, 422, 429], text).not.toContain(response.status);
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

/** A session in which the text is title, message, agent and answer. */
function exportOf(content: string): string {
  const run = { runId: "r", agent: content, agentUrl: "u", contextId: "c" };
  const events = [
    { type: "session_created", payload: { workspace: "w", owner: "o", title: content } },
    { type: "user_message", payload: { messageId: "m", content } },
    { type: "agent_start", payload: { ...run, inputSnapshotHash: "h", messageId: "m" } },
    { type: "agent_complete", payload: { runId: "r", state: "completed", messageId: "n", content } },
  ];
  return events.map((event) => JSON.stringify(event)).join("\n");
}

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
      { timeout: 60_000, interval: 30 },
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
  "the import of a session": (content) => post("/api/v1/sessions/import", { content: exportOf(content) }),
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

describe("a request's CPU cost is linear in its length, whatever its content", () => {
  it.each(Object.entries(ENTRIES))("at %s", { timeout: 120_000 }, async (_, send) => {
    await send("hello");
    for (const shape of SHAPES) {
      const text = (length: number) => `hello ${shape.repeat(Math.ceil(length / shape.length))}`;
      const seconds = await secondsOf(send, text(LENGTH));
      expect(seconds, JSON.stringify(shape)).toBeLessThan(MAX_SECONDS);
      if (seconds < WORTH_A_LOOK_SECONDS) continue;
      const quarter = await secondsOf(send, text(LENGTH / 4));
      expect(seconds, JSON.stringify(shape)).toBeLessThan(8 * quarter + WORTH_A_LOOK_SECONDS);
    }
  });
});

/** A conversation of so many messages that took place elsewhere. */
const toldMessages = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: randomUUID(), role: at % 2 === 0 ? "user" : "assistant", content: `Message ${at}` },
    parts: [{ type: "text", text: `Message ${at}` }],
  }));
const HISTORIES: Readonly<Record<string, (count: number) => Promise<unknown>>> = {
  "/agui": (count) => post("/agui/helper", { ...agUi(""), messages: toldMessages(count + 1) }),
  "/ai": (count) => post("/ai/helper", { id: randomUUID(), messages: toldMessages(count + 1) }),
};

describe("a history of 9,000 messages does not block the event loop (attack 6)", () => {
  it.each(Object.entries(HISTORIES))("at %s", { timeout: 120_000 }, async (_, tell) => {
    await tell(2);
    expect(await longestTurn(() => tell(9_000))).toBeLessThan(300);
  });
});

it("a tool of 5,000 properties does not block the event loop at the offline model", {
  timeout: 120_000,
}, async () => {
  const askWith = (count: number) => {
    const names = Array.from({ length: count }, (_, at) => `prop_${at}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: "string", description: "words" }]),
    );
    const parameters = { type: "object", properties, required: names };
    return post("/offline-model/v1/chat/completions", {
      model: "parley",
      messages: [{ role: "user", content: "search for cats" }],
      tools: [{ type: "function", function: { name: "many", description: "search", parameters } }],
    });
  };
  await askWith(10);
  expect(await longestTurn(() => askWith(5_000))).toBeLessThan(1_000);
});

/** Bodies full of items that are not as they should be, `n` of them in one list, or a thousand in each of many. */
const zeros = (n: number) => `[${"0,".repeat(n - 1)}0]`;
const nested = (n: number, message: (list: string) => string) =>
  `[${Array(n / 1_000).fill(message(zeros(1_000)))}]`;
const sent = (members: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"m",${members}}}}`;
const INVALID_LISTS: readonly (readonly [string, string, (n: number) => string])[] = [
  ["A2A's parts", "/", (n) => sent(`"parts":${zeros(n)}`)],
  ["A2A's references", "/", (n) => sent(`"parts":[{"kind":"text"}],"referenceTaskIds":${zeros(n)}`)],
  ["AG-UI's messages", "/agui", (n) => `{"threadId":"1","runId":"1","messages":${zeros(n)}}`],
  ["AG-UI's tools", "/agui", (n) => `{"threadId":"1","runId":"1","messages":[],"tools":${zeros(n)}}`],
  [
    "AG-UI's parts",
    "/agui",
    (n) =>
      `{"threadId":"1","runId":"1","messages":${nested(n, (list) => `{"id":"1","role":"user","content":${list}}`)}}`,
  ],
  [
    "the AI SDK's parts",
    "/ai",
    (n) => `{"id":"1","messages":${nested(n, (list) => `{"id":"1","role":"user","parts":${list}}`)}}`,
  ],
  [
    "the parts of chat completions",
    "/v1/chat/completions",
    (n) => `{"model":"helper","messages":${nested(n, (list) => `{"role":"user","content":${list}}`)}}`,
  ],
  [
    "the parts of responses",
    "/v1/responses",
    (n) => `{"model":"helper","input":${nested(n, (list) => `{"role":"user","content":${list}}`)}}`,
  ],
  [
    "the metadata of responses",
    "/v1/responses",
    (n) =>
      `{"model":"helper","input":"1","metadata":{${Array.from({ length: n }, (_, key) => `"${key}":0`)}}}`,
  ],
  [
    "the offline model's messages",
    "/offline-model/v1/chat/completions",
    (n) => `{"model":"parley","messages":${zeros(n)}}`,
  ],
];

describe("an invalid list is refused at its first invalid item", () => {
  it.each(INVALID_LISTS)("%s", { timeout: 180_000 }, async (_, path, body) => {
    const refused = async (text: string) => {
      const response = await fetch(`${platform.url}${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${platform.operator}`, "Content-Type": "application/json" },
        body: text,
      });
      expect(await response.text()).toMatch(/invalid|too big|must/i);
    };
    await refused(body(1_000));
    // Nearly as many as a body may have.
    expect(await secondsOf(refused, body(190_000))).toBeLessThan(0.5);
  });
});

it("request bodies in flight are bounded in memory per caller, and those of viewers to 1 MB each", async () => {
  const [vera, carl, ann] = [
    await platform.key("vera", "home", { role: "viewer" }),
    await platform.key("carl", "home"),
    await platform.key("ann", "home"),
  ];
  const begun: ClientRequest[] = [];
  const begin = async (secret: string) => {
    const asked = request(`${platform.url}/mcp`, {
      method: "POST",
      headers: {
        ...{ Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
        "Content-Length": 15_000_001,
      },
    }).on("error", () => {});
    begun.push(asked);
    asked.write(" ".repeat(15_000_000));
    const [{ statusCode }] = await once(asked, "response");
    return statusCode;
  };
  try {
    expect(await begin(vera.secret)).toBe(413);
    expect(await Promise.race(Array.from({ length: 5 }, () => begin(carl.secret)))).toBe(429);
    expect((await platform.ask("POST", "/api/v1/sessions", { key: ann.secret, body: {} })).status).toBe(201);
  } finally {
    for (const asked of begun) asked.destroy();
  }
});
