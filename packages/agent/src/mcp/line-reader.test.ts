import { cpuTime } from "@parley/testing/cpu-time.ts";
import { describe, expect, it } from "vitest";
import { LineReader, LineTooLongError } from "./line-reader.ts";

function lines(reader: LineReader, ...chunks: string[]): string[] {
  return chunks.flatMap((chunk) => [...reader.push(Buffer.from(chunk))]);
}

describe("a line reader", () => {
  it("joins what comes in pieces and cuts what comes at once", () => {
    const reader = new LineReader(100);
    expect(lines(reader, "a", "b\nc\r\n\nd", "e")).toEqual(["ab", "c", ""]);
    expect(reader.rest()).toBe("de");
    expect(reader.rest()).toBe("");
  });

  it("keeps characters whole that are cut between two chunks", () => {
    const bytes = Buffer.from("🔧 ü\n");
    const reader = new LineReader(100);
    expect([...bytes].flatMap((byte) => [...reader.push(Buffer.of(byte))])).toEqual(["🔧 ü"]);
  });

  it("refuses a line over its limit, and takes one that just fits", () => {
    expect(lines(new LineReader(4), "abcd\n")).toEqual(["abcd"]);
    expect(() => lines(new LineReader(4), "abc", "de")).toThrow(LineTooLongError);
  });

  it("reads 50 MB that come in small chunks at linear cost", () => {
    const reader = new LineReader(64_000_000);
    const chunk = Buffer.alloc(64_000, "x");
    const start = cpuTime();
    for (let i = 0; i < 800; i++) expect([...reader.push(chunk)]).toEqual([]);
    expect([...reader.push(Buffer.from("\n"))][0]).toHaveLength(51_200_000);
    expect(cpuTime() - start).toBeLessThan(5_000);
  });
});
