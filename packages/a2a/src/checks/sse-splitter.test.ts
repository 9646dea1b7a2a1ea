import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SseFrame, SseSplitter } from "./sse-splitter.ts";

function framesIn(text: string, { size = 1_000, most = 1_000 } = {}): SseFrame[] {
  const frames: SseFrame[] = [];
  const splitter = new SseSplitter((frame) => frames.push(frame), most);
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) splitter.feed(bytes.subarray(start, start + size));
  return frames;
}

describe("the frames of an event stream", () => {
  it("are the same however their bytes are split, even within characters", () => {
    const text =
      'id: 7\ndata: {"a":"👍🏽 é"}\n\n: kept open\n\ndata:one\r\ndata: two\r\n\r\nevent: x\n\ndata: cut off';
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (size) => {
        expect(framesIn(text, { size })).toEqual([
          { id: "7", data: '{"a":"👍🏽 é"}' },
          { id: undefined, data: "one\ntwo" },
        ]);
      }),
    );
  });

  it("are replaced by a note if they are too long, in one line or many, and the next is read normally", () => {
    const long = `data: ${"x".repeat(500)}\n\n`;
    const many = `${"data: xxxxxxxxxx\n".repeat(50)}\n`;
    for (const size of [1, 7, 1_000])
      expect(framesIn(`${long}data: good\n\n${many}data: good\n\n`, { size, most: 100 })).toEqual([
        { id: undefined, data: "A frame of more than 100 characters" },
        { id: undefined, data: "good" },
        { id: undefined, data: "A frame of more than 100 characters" },
        { id: undefined, data: "good" },
      ]);
  });
});
