import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEvents, type ServerSentEvent } from "./event-stream.ts";

const options = { origin: "http://agent", eventCharacters: 1_000 };

/** The events in these bytes, which come in pieces of these sizes, again and again. */
async function eventsIn(text: string, sizes: readonly number[]): Promise<ServerSentEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0, n = 0; start < bytes.length; n++) {
    const end = start + (sizes[n % sizes.length] ?? 1);
    pieces.push(bytes.slice(start, end));
    start = end;
  }
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(ReadableStream.from(pieces), options)) events.push(event);
  return events;
}

const line = fc.string({
  unit: fc.constantFrom("a", "é", "👩‍👩‍👧", "𝄞", "\u2028", ":", " ", "\u0301"),
  minLength: 1,
});
const event = fc.record({ id: fc.nat().map(String), lines: fc.array(line, { minLength: 1, maxLength: 3 }) });
const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });

describe("an event stream (invariant 9)", () => {
  it.each(["\n", "\r\n", "\r"])("yields an event at its empty line, with %j line endings", async (end) => {
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
    const writer = writable.getWriter();
    const events = readEvents(readable, options);
    for (const data of ["one", "two"]) {
      void writer.write(new TextEncoder().encode(`data: ${data}${end}${end}`));
      expect((await events.next()).value).toMatchObject({ data });
    }
    await events.return();
  });

  it("yields the same events however its bytes are split, also within characters", async () => {
    const many = fc.array(event, { maxLength: 6 });
    const endings = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(many, endings, sizes, async (sent, end, cuts) => {
        const frames = sent.map(({ id, lines }) => [
          `id: ${id}`,
          ":hi",
          ...lines.map((it) => `data: ${it}`),
          "",
          "",
        ]);
        const read = await eventsIn(frames.map((frame) => frame.join(end)).join(""), cuts);
        expect(read.map(({ id, data }) => ({ id, lines: data.split("\n") }))).toEqual(sent);
      }),
    );
  });

  it("drops an incomplete last event", async () => {
    expect(await eventsIn("data: one\n\ndata: two\n", [3])).toMatchObject([{ data: "one" }]);
  });

  it("is refused when an event grows without end", async () => {
    const endless = `data: ${"x".repeat(2_000)}`;
    await expect(eventsIn(endless, [100])).rejects.toMatchObject({ code: "agent_response" });
    await expect(eventsIn("data: x\n".repeat(2_000), [100])).rejects.toMatchObject({
      code: "agent_response",
    });
  });
});
