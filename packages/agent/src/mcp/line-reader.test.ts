import { cpuTime } from "@parley/testing/cpu-time.ts";
import { describe, expect, it } from "vitest";
import { LineReader, LineTooLongError } from "./line-reader.ts";

function lines(reader: LineReader, ...chunks: string[]): string[] {
  return chunks.flatMap((chunk) => [...reader.push(Buffer.from(chunk))]);
}

describe("LineReader", () => {
  it("joins partial lines and splits lines that arrive together", () => {
    const reader = new LineReader(100);
    expect(lines(reader, "a", "b\nc\r\n\nd", "e")).toEqual(["ab", "c", ""]);
    expect(reader.rest()).toBe("de");
    expect(reader.rest()).toBe("");
  });

  it("decodes characters that are split between two chunks", () => {
    const bytes = Buffer.from("🔧 ü\n");
    const reader = new LineReader(100);
    expect([...bytes].flatMap((byte) => [...reader.push(Buffer.of(byte))])).toEqual(["🔧 ü"]);
  });

  it("refuses a line over its limit, and accepts one that just fits", () => {
    expect(lines(new LineReader(4), "abcd\n")).toEqual(["abcd"]);
    expect(() => lines(new LineReader(4), "abc", "de")).toThrow(LineTooLongError);
  });

  it("reads 50 MB in small chunks at linear cost", () => {
    const reader = new LineReader(64_000_000);
    const chunk = Buffer.alloc(64_000, "x");
    const start = cpuTime();
    for (let i = 0; i < 800; i++) expect([...reader.push(chunk)]).toEqual([]);
    expect([...reader.push(Buffer.from("\n"))][0]).toHaveLength(51_200_000);
    expect(cpuTime() - start).toBeLessThan(5_000);
  });
});
