import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "./model.ts";
import {
  ModelAnswerError,
  ModelBusyError,
  ModelKeyError,
  ModelUnreachableError,
  UnknownModelError,
} from "./model-errors.ts";
import { openModel } from "./open-model.ts";
import { anthropicWire } from "./testing/anthropic-wire.ts";
import { collected } from "./testing/collected.ts";
import { compatibleWire } from "./testing/compatible-wire.ts";
import { googleWire } from "./testing/google-wire.ts";
import { openaiWire } from "./testing/openai-wire.ts";
import {
  type Answer,
  cutAfter,
  providerServer,
  refused,
  stalledAfter,
  streamed,
} from "./testing/provider-server.ts";
import { frame, type Wire, type WireTurn } from "./testing/wire.ts";

const key = "key-canary-7f3a9";
const request: ModelRequest = {
  system: "Answer briefly.",
  messages: [{ role: "user", text: "Which tides today?" }],
  tools: [
    {
      name: "tide_times",
      description: "Tide times of a harbour",
      inputSchema: { type: "object", properties: { harbour: { type: "string" } }, required: ["harbour"] },
    },
  ],
};
const twoCalls: WireTurn = {
  text: ["Let me ", "look."],
  calls: [
    { id: "call_a", tool: "tide_times", pieces: ['{"harb', 'our":"Ystad"}'] },
    { id: "call_b", tool: "tide_times", pieces: ['{"harbour":"Kiel"}'] },
  ],
  end: "tool-calls",
};

const wires: readonly Wire[] = [anthropicWire, openaiWire, googleWire, compatibleWire];

async function opened(wire: Wire, ...answers: [Answer, ...Answer[]]) {
  const server = await providerServer(...answers);
  const model = openModel(wire.name, { environment: wire.environment(server.url, key) });
  return { server, model };
}

describe.each(wires.map((wire) => [wire.name, wire] as const))("%s", (_, wire) => {
  it("streams text as it arrives and ends with the usage (S0.3, S2.4)", async () => {
    const { server, model } = await opened(
      wire,
      streamed(wire.frames({ text: ["High at ", "noon."], end: "stop" })),
    );
    const { events, end } = await collected(model, request);
    expect(events.slice(0, -1)).toEqual([
      { type: "text", text: "High at " },
      { type: "text", text: "noon." },
    ]);
    expect(end).toMatchObject({
      reason: "stop",
      usage: { inputTokens: 11, outputTokens: 7, cachedInputTokens: 4 },
    });
    expect(model.name).toBe(wire.name);
    expect(wire.keyOf(server.requests[0]?.headers ?? {})).toBe(key);
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(
      /Answer briefly.*tide_times|tide_times.*Answer briefly/,
    );
  });

  it("separates thinking from the answer (S2.5)", async () => {
    const turn: WireTurn = { thinking: ["The moon ", "is full."], text: ["High."], end: "stop" };
    const { model } = await opened(wire, streamed(wire.frames(turn)));
    expect(await collected(model, { ...request, thinking: true })).toMatchObject({
      thinking: "The moon is full.",
      text: "High.",
      error: undefined,
    });
  });

  it("yields parallel tool calls, and sends their outcomes with its own turn in the next request", async () => {
    const answer = wire.frames({ text: ["Both at noon."], end: "stop" });
    const { server, model } = await opened(wire, streamed(wire.frames(twoCalls)), streamed(answer));
    const first = await collected(model, request);
    expect(first.calls).toMatchObject([
      { id: "call_a", tool: "tide_times", arguments: { harbour: "Ystad" } },
      { id: "call_b", tool: "tide_times", arguments: { harbour: "Kiel" } },
    ]);
    expect(first.end?.reason).toBe("tool-calls");
    const echo = first.end?.echo;
    const second = await collected(model, {
      ...request,
      messages: [
        ...request.messages,
        { role: "assistant", text: first.text, calls: first.calls, ...(echo && { echo }) },
        {
          role: "tool",
          outcomes: [
            { id: "call_a", tool: "tide_times", failed: false, text: "12:00" },
            { id: "call_b", tool: "tide_times", failed: true, text: "harbour closed" },
          ],
        },
      ],
    });
    expect(second.text).toBe("Both at noon.");
    const sent = JSON.stringify(server.requests[1]?.body);
    for (const part of ["Ystad", "Let me look.", "12:00", "harbour closed"]) expect(sent).toContain(part);
  });

  it("streams a call's arguments after the text and before the call (S0.4)", async () => {
    const { model } = await opened(wire, streamed(wire.frames(twoCalls)));
    const { events } = await collected(model, request);
    expect(events.slice(0, 2)).toEqual([
      { type: "text", text: "Let me " },
      { type: "text", text: "look." },
    ]);
    for (const { id, tool, pieces } of twoCalls.calls ?? []) {
      const written = events.flatMap((event) =>
        event.type === "tool-input" && event.id === id ? [event] : [],
      );
      // Google sends arguments whole: they are one piece.
      expect(written.map(({ text }) => text)).toEqual(wire === googleWire ? [pieces.join("")] : pieces);
      expect(written.every((event) => event.tool === tool)).toBe(true);
      const called = events.findIndex((event) => event.type === "tool-call" && event.call.id === id);
      expect(called).toBeGreaterThan(
        events.findLastIndex((event) => event.type === "tool-input" && event.id === id),
      );
    }
  });

  it("reports an answer that was cut off by the length limit", async () => {
    const { model } = await opened(wire, streamed(wire.frames({ text: ["High"], end: "length" })));
    expect((await collected(model, { ...request, maxOutputTokens: 1 })).end?.reason).toBe("length");
  });

  it("reports an overload during the stream, after the received text", async () => {
    const frames = wire.frames({ text: ["High at ", "noon."], end: "stop" });
    const middle = frames.findIndex((frame) => frame.includes("High at ")) + 1;
    const { model } = await opened(wire, streamed([...frames.slice(0, middle), wire.overloadFrame]));
    const { text, end, error } = await collected(model, request);
    expect([text, end]).toEqual(["High at ", undefined]);
    expect(error).toBeInstanceOf(ModelBusyError);
  });

  it("reports a rate limit with the provider's retry delay", async () => {
    const { model } = await opened(wire, refused(wire.rateLimit));
    const { error } = await collected(model, request);
    expect(error).toBeInstanceOf(ModelBusyError);
    expect(error).toMatchObject({ retryAfterMs: 7_000 });
  });

  it("reports an overloaded provider as busy", async () => {
    const { model } = await opened(wire, refused(wire.overload));
    const { error } = await collected(model, request);
    expect(error).toBeInstanceOf(ModelBusyError);
    expect(error).toMatchObject({ retryAfterMs: 1_000 });
  });

  it("names the variable to check when the key is refused, and never shows a key", async () => {
    const { model } = await opened(wire, refused(wire.wrongKey(key)));
    const { error } = await collected(model, request);
    expect(error).toBeInstanceOf(ModelKeyError);
    expect(String(error)).toContain("API_KEY");
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key);
  });

  it("names an unknown model", async () => {
    const { model } = await opened(wire, refused(wire.unknownModel));
    const { error } = await collected(model, request);
    expect(error).toBeInstanceOf(UnknownModelError);
    expect(String(error)).toContain(wire.name);
  });

  it("reports a refused request as invalid, without the key", async () => {
    const body = {
      error: { message: `too long for ${key}`, code: 400, status: "INVALID_ARGUMENT", type: "invalid" },
    };
    const { model } = await opened(wire, refused({ status: 400, body: { type: "error", ...body } }));
    const { error } = await collected(model, request);
    expect(error).toBeInstanceOf(ModelAnswerError);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key);
  });

  it("yields the text received before a broken connection, then reports it", async () => {
    const frames = wire.frames({ text: ["High at ", "noon."], end: "stop" });
    const middle = frames.findIndex((frame) => frame.includes("High at ")) + 1;
    const { model } = await opened(wire, cutAfter(frames.slice(0, middle)));
    const { events, error } = await collected(model, request);
    expect(events).toEqual([{ type: "text", text: "High at " }]);
    expect(error).toBeInstanceOf(ModelUnreachableError);
  });

  it("does not accept a stream that ends early as an answer", async () => {
    const frames = wire.frames({ text: ["High at ", "noon."], end: "stop" });
    const middle = frames.findIndex((frame) => frame.includes("High at ")) + 1;
    const { model } = await opened(wire, streamed(frames.slice(0, middle)));
    const { text, end, error } = await collected(model, request);
    expect([text, end]).toEqual(["High at ", undefined]);
    expect(error).toBeInstanceOf(ModelUnreachableError);
  });

  it("reports an endpoint that is not a model", async () => {
    const { model } = await opened(wire, streamed(["data: {not json\n\n"]));
    const { end, error } = await collected(model, request);
    expect(end).toBeUndefined();
    expect(error).toBeInstanceOf(ModelAnswerError);
  });

  it("reports a refused connection, without the key", async () => {
    const environment = wire.environment("http://127.0.0.1:1", key);
    const { error } = await collected(openModel(wire.name, { environment }), request);
    expect(error).toBeInstanceOf(ModelUnreachableError);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key);
  });

  it("follows no redirect, which would leak the key", async () => {
    const elsewhere = await providerServer(streamed(wire.frames({ text: ["Hello"], end: "stop" })));
    const { model } = await opened(
      wire,
      refused({ status: 307, headers: { location: elsewhere.url }, body: {} }),
    );
    expect((await collected(model, request)).error).toBeInstanceOf(ModelUnreachableError);
    expect(elsewhere.requests).toEqual([]);
  });

  it("stops in mid-turn with the signal's reason", async () => {
    const frames = wire.frames({ text: ["High at ", "noon."], end: "stop" });
    const middle = frames.findIndex((frame) => frame.includes("High at ")) + 1;
    const closed = Promise.withResolvers<void>();
    const { model } = await opened(wire, (response) => {
      response.on("close", closed.resolve);
      return stalledAfter(frames.slice(0, middle))(response);
    });
    const controller = new AbortController();
    const heard: string[] = [];
    const reason = new Error("the user left");
    const turn = (async () => {
      for await (const event of model.turn(request, controller.signal)) {
        heard.push(event.type);
        controller.abort(reason);
      }
    })();
    await expect(turn).rejects.toBe(reason);
    expect(heard).toEqual(["text"]);
    await closed.promise;
  });

  it("sends nothing if the signal is already aborted", async () => {
    const { server, model } = await opened(wire, streamed([]));
    const { error } = await collected(model, request, AbortSignal.abort("stopped"));
    expect([error, server.requests]).toEqual(["stopped", []]);
  });
});

it("a provider package's warnings are passed on, and the turn continues", async () => {
  const { url } = await providerServer(streamed(openaiWire.frames({ text: ["High."], end: "stop" })));
  const warnings: string[] = [];
  const onWarning = (warning: string) => warnings.push(warning);
  const model = openModel("openai:gpt-4o", { environment: openaiWire.environment(url, key), onWarning });
  expect((await collected(model, { ...request, thinking: true })).text).toBe("High.");
  expect(warnings).not.toEqual([]);
  expect(warnings.join()).toMatch(/^openai:gpt-4o: /);
});

describe("malformed arguments", () => {
  it.each([anthropicWire, openaiWire, compatibleWire])("from $name are kept as text", async (wire) => {
    const calls = [{ id: "call_a", tool: "tide_times", pieces: ['{"harbour": ', "Ystad"] }];
    const { model } = await opened(wire, streamed(wire.frames({ calls, end: "tool-calls" })));
    expect((await collected(model, request)).calls).toEqual([
      { id: "call_a", tool: "tide_times", arguments: undefined, text: '{"harbour": Ystad' },
    ]);
  });

  it("from Google, which validates them itself, are a failed answer", async () => {
    const malformed = { content: { parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL" };
    const { model } = await opened(googleWire, streamed([frame({ candidates: [malformed] })]));
    const { error } = await collected(model, request);
    expect(error).toBeInstanceOf(ModelAnswerError);
    expect(String(error)).toContain("MALFORMED_FUNCTION_CALL");
  });

  it.each(wires)("are shown to $name as it wrote them", async (wire) => {
    const { server, model } = await opened(wire, streamed(wire.frames({ text: ["Sorry."], end: "stop" })));
    const call = { id: "call_a", tool: "tide_times", arguments: undefined, text: "{Ystad" };
    await collected(model, {
      ...request,
      messages: [
        ...request.messages,
        { role: "assistant", text: "", calls: [call] },
        { role: "tool", outcomes: [{ id: "call_a", tool: "tide_times", failed: true, text: "not JSON" }] },
      ],
    });
    expect(JSON.stringify(server.requests[0]?.body)).toContain("{Ystad");
  });
});

describe("provider metadata of a turn", () => {
  async function secondBody(wire: Wire, keepsEcho: boolean): Promise<string> {
    const turn: WireTurn = { ...twoCalls, thinking: ["The moon is full."] };
    const answer = streamed(wire.frames({ text: ["Noon."], end: "stop" }));
    const { server, model } = await opened(wire, streamed(wire.frames(turn)), answer);
    const first = await collected(model, { ...request, thinking: true });
    const echo = keepsEcho ? first.end?.echo : undefined;
    const outcomes = first.calls.map(({ id, tool }) => ({ id, tool, failed: false, text: "12:00" }));
    const assistant = { role: "assistant" as const, text: first.text, calls: first.calls };
    await collected(model, {
      ...request,
      thinking: true,
      messages: [
        ...request.messages,
        // Through JSON, as a journal would keep it.
        JSON.parse(JSON.stringify({ ...assistant, ...(echo && { echo }) })) as typeof assistant,
        { role: "tool", outcomes },
      ],
    });
    return JSON.stringify(server.requests[1]?.body);
  }

  it.each([
    [anthropicWire, '"signature":"signed"'],
    [openaiWire, '"encrypted_content":"sealed"'],
    [googleWire, '"thoughtSignature":"signed"'],
  ])("is sent back to $name", async (wire, mark) => {
    const sent = await secondBody(wire, true);
    expect(sent).toContain(mark);
    expect(sent).toContain("Ystad");
  });

  it("is required by Anthropic, so a turn without it continues without thinking", async () => {
    expect(await secondBody(anthropicWire, true)).toContain('"thinking":{"type":"enabled"');
    expect(await secondBody(anthropicWire, false)).not.toContain('"thinking":{"type":"enabled"');
  });
});
