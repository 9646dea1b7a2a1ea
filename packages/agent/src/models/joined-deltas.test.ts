import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joined, joiningDeltas } from "./joined-deltas.ts";

type Delta = Readonly<Record<string, unknown>>;
const frame = (delta: Delta, more: object = {}) =>
  `data: ${JSON.stringify({ id: "chat_1", choices: [{ index: 0, delta, ...more }] })}\n\n`;
const input = (text: string, more: object = {}) => ({
  tool_calls: [{ index: 0, function: { arguments: text, ...more } }],
});

/** What a reader of the frames has at their end: each text by where it was found, and all calls by name. */
function heard(frames: string) {
  const texts: Record<string, string> = {};
  const add = (name: string, text: unknown) => {
    if (typeof text === "string") texts[name] = (texts[name] ?? "") + text;
  };
  const others: string[] = [];
  for (const text of frames.split("\n\n").filter((line) => line.startsWith("data: {"))) {
    const { choices, ...rest } = JSON.parse(text.slice(6));
    const { delta, ...choice } = choices[0];
    const { content, reasoning, tool_calls: calls } = delta;
    add("content", content);
    add("reasoning", reasoning);
    for (const { index, function: called } of calls ?? []) {
      add(`call ${index}`, called.arguments);
      if (called.name) others.push(`${index} ${called.name}`);
    }
    others.push(JSON.stringify([rest, choice]));
  }
  return { texts, others: [...new Set(others)], names: others.filter((other) => /^\d/.test(other)) };
}

describe("frames that arrive together", () => {
  it("are one where they are pieces of the same text", () => {
    expect(joined(frame({ content: "High " }) + frame({ content: "at " }) + frame({ content: "noon" }))).toBe(
      frame({ content: "High at noon" }),
    );
    expect(joined(frame(input('{"a":')) + frame(input("1}")))).toBe(frame(input('{"a":1}')));
  });

  it("stay apart where anything else differs, and pass as they are where they are no pieces", () => {
    const apart = [
      ": a comment\n\n",
      frame({ role: "assistant", content: "a" }),
      frame({ content: "b" }),
      frame({ reasoning: "c" }),
      frame({ content: "d" }, { logprobs: [1] }),
      frame({ content: "e" }, { logprobs: [2] }),
      frame({ content: "f", reasoning: "g" }),
      frame({ content: "h", reasoning: "g" }),
      frame(input("{}", { name: "tides" })),
      frame(input("{}", { name: "tides" })),
      frame({}, { finish_reason: "stop" }),
      "data: {not json\n\n",
      "data: [DONE]\n\n",
    ].join("");
    expect(joined(apart)).toBe(apart);
  });

  it("say what they said one by one, whatever their texts are", () => {
    const text = fc.string({ unit: "binary", maxLength: 6 });
    const delta = fc.oneof(
      text.map((content): Delta => ({ content })),
      text.map((reasoning): Delta => ({ reasoning })),
      fc.tuple(text, text).map(([content, reasoning]): Delta => ({ content, reasoning })),
      text.map((words): Delta => input(words)),
      text.map((words): Delta => input(words, { name: "tides" })),
    );
    fc.assert(
      fc.property(fc.array(delta, { maxLength: 12 }), (deltas) => {
        const frames = deltas.map((each) => frame(each)).join("");
        expect(heard(joined(frames))).toEqual(heard(frames));
      }),
    );
  });

  it("are whole again wherever the network cut them", async () => {
    const frames = `${["hø", "y 🌊", "\r\n"].map((content) => frame({ content })).join("")}data: [DONE]\n\ndata: cut`;
    const bytes = new TextEncoder().encode(frames);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const body = ReadableStream.from([bytes.slice(0, cut), bytes.slice(cut)]);
      const streams = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
      const text = await (await joiningDeltas(streams)("http://localhost")).text();
      expect(heard(text)).toEqual(heard(frames));
      expect(text.endsWith("data: [DONE]\n\ndata: cut")).toBe(true);
    }
  });
});
