import { describe, expect, it } from "vitest";
import { MAX_EVENT_BYTES } from "../append/payload.ts";
import * as errors from "../errors.ts";
import { codeOf, collect, type JournalUnderTest } from "./journal-fixture.ts";

const circular: { self?: unknown } = {};
circular.self = circular;

const NOT_JSON: [string, unknown][] = [
  ["undefined", undefined],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["a bigint", 1n],
  ["NaN deep inside", { a: [{ b: Number.NaN }] }],
  ["Infinity", [Number.POSITIVE_INFINITY]],
  ["a hole in an array", [1, undefined, 3]],
  ["a Date", { at: new Date(0) }],
  ["a Map", new Map([[1, 2]])],
  ["something that contains itself", circular],
];

/** A typed error each, and nothing written. */
export function describeBadInput(test: JournalUnderTest): void {
  describe("bad input", () => {
    it.each(NOT_JSON)("refuses a payload that is %s", async (_, payload) => {
      await test.current.append("a", ["before"]);
      await expect(test.current.append("a", ["fine", payload])).rejects.toBeInstanceOf(
        errors.InvalidPayloadError,
      );
      expect(await test.current.head("a")).toBe(1);
    });

    it("reports the path of the invalid value in the payload", async () => {
      const payload = { parts: [{ text: "x" }, { score: Number.NaN }] };
      await expect(test.current.append("a", [payload])).rejects.toThrow("payload.parts[1].score is NaN");
    });

    it("refuses an event over 1 MB, counted in bytes, and takes one of exactly that size", async () => {
      const quotes = 2;
      await test.current.append("a", ["x".repeat(MAX_EVENT_BYTES - quotes)]);
      const tooLarge = ["x".repeat(MAX_EVENT_BYTES - quotes + 1), "ü".repeat(MAX_EVENT_BYTES / 2)];
      for (const payload of tooLarge) {
        await expect(test.current.append("a", [payload])).rejects.toBeInstanceOf(errors.EventTooLargeError);
      }
      expect(await test.current.head("a")).toBe(1);
    });

    it("refuses an empty append", async () => {
      await expect(test.current.append("a", [])).rejects.toBeInstanceOf(errors.EmptyAppendError);
      await expect(test.current.appendAll([])).rejects.toBeInstanceOf(errors.EmptyAppendError);
      const half = test.current.appendAll([
        { stream: "a", events: [1] },
        { stream: "b", events: [] },
      ]);
      await expect(half).rejects.toBeInstanceOf(errors.EmptyAppendError);
      await expect(test.current.head("a")).rejects.toBeInstanceOf(errors.UnknownStreamError);
    });

    it("knows no stream that was never written", async () => {
      const outcomes = await Promise.allSettled([
        test.current.read("nope", 0),
        test.current.head("nope"),
        collect(test.current, "nope", 0, 1),
        test.current.trim("nope", 0),
        test.current.archive("nope"),
        test.current.delete("nope"),
      ]);
      expect(outcomes.map(codeOf)).toEqual(Array(6).fill("unknown_stream"));
    });

    it.each([-1, 1.5, Number.NaN, 2 ** 60])("refuses the index %d", async (index) => {
      await test.current.append("a", [1]);
      const outcomes = await Promise.allSettled([
        test.current.read("a", index),
        test.current.read("a", 0, index),
        collect(test.current, "a", index, 1),
        test.current.append("a", [1], { expected: index }),
        test.current.trim("a", index),
      ]);
      expect(outcomes.map(codeOf)).toEqual(Array(5).fill("invalid_index"));
      expect(await test.current.head("a")).toBe(1);
    });

    it("refuses a cursor beyond the end of the stream", async () => {
      await test.current.append("a", [1]);
      await expect(test.current.read("a", 2)).rejects.toBeInstanceOf(errors.IndexBeyondHeadError);
      await expect(collect(test.current, "a", 2, 1)).rejects.toBeInstanceOf(errors.IndexBeyondHeadError);
    });

    it.each([
      ["empty", ""],
      ["with a NUL", "a\u0000b"],
      ["with a line break", "line\nbreak"],
      ["too long", "x".repeat(201)],
      ["half a character", "user-\ud800"],
    ])("refuses a stream name that is %s", async (_, name) => {
      await expect(test.current.append(name, [1])).rejects.toBeInstanceOf(errors.InvalidStreamNameError);
      await expect(test.current.read(name, 0)).rejects.toBeInstanceOf(errors.InvalidStreamNameError);
    });

    it("refuses appends while too much waits for the storage, and takes them again later", async () => {
      await test.reopen({ maxWaitingBytes: 1_000 });
      const first = test.current.append("a", ["x".repeat(2_000)]);
      await expect(test.current.append("a", ["more"])).rejects.toBeInstanceOf(errors.JournalOverloadedError);
      await first;
      expect(await test.current.append("a", ["more"])).toBe(2);
    });
  });
}
