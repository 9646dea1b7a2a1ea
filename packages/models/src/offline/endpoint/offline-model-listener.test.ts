import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Model } from "../../model.ts";
import { openModel } from "../../open-model.ts";
import { collected } from "../../testing/collected.ts";
import { offlineModel } from "../offline-model.ts";
import { operationCalculator } from "../testing/calculators.ts";
import { converse } from "../testing/converse.ts";
import { crew, planTool } from "../testing/crew.ts";
import { ticketTools } from "../testing/ticket-tools.ts";
import { OFFLINE_MODEL_PATH, offlineModelListener } from "./offline-model-listener.ts";

async function endpoint(): Promise<string> {
  const server = createServer(offlineModelListener()).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${OFFLINE_MODEL_PATH}`;
}

async function overHttp(): Promise<Model> {
  return openModel(`openai-compatible:parley@${await endpoint()}`, { environment: {} });
}

const hello = { model: "parley", messages: [{ role: "user", content: "hello" }] };

async function post(body: unknown, headers: Record<string, string> = { "content-type": "application/json" }) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${await endpoint()}/chat/completions`, { method: "POST", headers, body: text });
}

interface ToolCallDelta {
  readonly index: number;
  readonly function: { readonly name?: string; readonly arguments: string };
}

function toolCallDeltas(frame: string): ToolCallDelta[] {
  if (!frame.startsWith("data: {")) return [];
  const { choices } = JSON.parse(frame.slice("data: ".length)) as {
    choices: { delta: { tool_calls?: ToolCallDelta[] } }[];
  };
  return choices.flatMap(({ delta }) => delta.tool_calls ?? []);
}

describe("the offline model over HTTP, through the compatible provider", () => {
  it.each([
    ["calculations", () => operationCalculator, ["2+3", "multiply it by 4", "divide that by 0", "hello"]],
    [
      "tickets that fail",
      ticketTools,
      ["close ticket 99 and then assign it to Bo", "open a new ticket", "Roof leaks"],
    ],
    ["a plan", () => [planTool, ...crew], ["Ask the pilot about tides and then let the cook plan a meal"]],
  ])("says and calls the same as without it: %s (S0.3)", async (_, tools, said) => {
    const direct = await converse(tools(), said);
    const there = await converse(tools(), said, await overHttp());
    expect(there.turns).toEqual(direct.turns);
    expect(there.answers).toEqual(direct.answers);
  });

  it("gives the same events one by one, thinking included", async () => {
    const request = {
      messages: [{ role: "user" as const, text: "show ticket 2" }],
      tools: ticketTools(),
      thinking: true,
    };
    const direct = await collected(offlineModel(), request);
    const there = await collected(await overHttp(), request);
    expect(there.events.slice(0, -1)).toEqual(direct.events.slice(0, -1));
    expect(there.end).toMatchObject({
      reason: "tool-calls",
      usage: { outputTokens: direct.end?.usage.outputTokens },
    });
  });

  it("names a model that it does not have", async () => {
    const model = openModel(`openai-compatible:gpt@${await endpoint()}`, { environment: {} });
    const { error } = await collected(model, { messages: [{ role: "user", text: "hello" }] });
    expect(error).toMatchObject({ name: "UnknownModelError" });
  });
});

describe("the offline model's endpoint", () => {
  it("lists its model", async () => {
    const response = await fetch(`${await endpoint()}/models`);
    expect(await response.json()).toMatchObject({
      object: "list",
      data: [{ id: "parley", object: "model" }],
    });
  });

  it("completes a chat at once when it is not to stream", async () => {
    const response = await post(hello);
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      choices: [
        {
          message: { role: "assistant", content: expect.stringContaining("offline model") },
          finish_reason: "stop",
        },
      ],
      usage: { total_tokens: expect.any(Number) },
    });
  });

  it("gives tool calls at once when it is not to stream", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const tools = [
      { type: "function", function: { name: "get_weather", description: "Weather.", parameters } },
    ];
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "weather in Lund" }] },
    ];
    const body = (await (await post({ ...hello, messages, tools })).json()) as { choices: unknown[] };
    expect(body.choices).toMatchObject([
      {
        message: {
          content: null,
          tool_calls: [{ function: { name: "get_weather", arguments: '{"city":"Lund"}' } }],
        },
        finish_reason: "tool_calls",
      },
    ]);
  });

  it("streams chunks and says when it is done", async () => {
    const response = await post({ ...hello, stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const frames = (await response.text()).trim().split("\n\n");
    expect(frames.length).toBeGreaterThan(50);
    expect(frames.at(-1)).toBe("data: [DONE]");
    expect(frames.join()).not.toContain('"usage"');
  });

  it("streams a call's arguments in pieces, its id and name first (S0.4)", async () => {
    const tools = crew.map(({ name, description, inputSchema: parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    }));
    const messages = [{ role: "user", content: "Ask the pilot about ships and tell the cook to plan meals" }];
    const response = await post({ ...hello, messages, tools, stream: true });
    const deltas = (await response.text()).split("\n\n").flatMap(toolCallDeltas);
    for (const index of [0, 1]) {
      const [first, ...pieces] = deltas.filter((delta) => delta.index === index);
      expect(first).toMatchObject({ id: expect.any(String), type: "function", function: { arguments: "" } });
      expect(first?.function.name).toBe(crew[index]?.name);
      expect(pieces.length).toBeGreaterThan(3);
      expect(JSON.parse(pieces.map((piece) => piece.function.arguments).join(""))).toHaveProperty("message");
    }
  });

  it.each([
    ["no JSON", "{", 400, "invalid_json"],
    ["no messages", { model: "parley", messages: [] }, 400, "invalid_request"],
    ["an unknown role", { ...hello, messages: [{ role: "cat", content: "meow" }] }, 400, "invalid_request"],
    ["another model", { ...hello, model: "gpt" }, 404, "model_not_found"],
    ["what is nested too deep", "[".repeat(65), 400, "invalid_json"],
    ["too much", `"${"x".repeat(1_100_000)}"`, 413, "body_too_large"],
  ])("refuses %s in the shape that clients read", async (_, body, status, code) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), type: "invalid_request_error", code },
    });
  });

  it.each([
    ["of a property", (pattern: string) => ({ type: "string", pattern })],
    ["of an alternative", (pattern: string) => ({ anyOf: [{ type: "string", pattern }] })],
    ["of members", (pattern: string) => ({ type: "array", items: { type: "string", pattern } })],
    ["of names", (pattern: string) => ({ type: "object", patternProperties: { [pattern]: {} } })],
  ])("is not kept busy by a pattern %s", async (_, schemaOf) => {
    const properties = { tag: schemaOf("^(([a-z])+.)+[A-Z]([a-z])+$"), name: { type: "string" } };
    const parameters = { type: "object", properties, required: ["tag"] };
    const tools = [{ type: "function", function: { name: "find_tag", description: "Finds.", parameters } }];
    const word = "a".repeat(40);
    const messages = [{ role: "user", content: `find tag ${word} "${word}" tags: ${word}, ${word}` }];
    const before = process.cpuUsage();
    expect((await post({ ...hello, messages, tools })).status).toBe(200);
    const { user } = process.cpuUsage(before);
    expect(user / 1e6).toBeLessThan(1);
  });

  it("takes JSON alone, so that no web page can drive it", async () => {
    expect((await post(hello, { "content-type": "text/plain" })).status).toBe(415);
  });

  it.each([
    ["/models", "POST", 405],
    ["/chat/completions", "GET", 405],
    ["/elsewhere", "GET", 404],
  ])("answers %s by %s with %s", async (path, method, status) => {
    expect((await fetch(`${await endpoint()}${path}`, { method })).status).toBe(status);
  });
});
