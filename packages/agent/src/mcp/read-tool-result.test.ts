import { openMemoryJournal } from "@parley/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import { defaultResultBounds, readToolResult } from "./read-tool-result.ts";

async function blobs() {
  const journal = await openMemoryJournal();
  onTestFinished(() => journal.close());
  return journal.blobs;
}

describe("a tool's result", () => {
  it("leaves large text in the blob store, whole, and cuts no character in half", async () => {
    const large = await blobs();
    const text = `a${"ü".repeat(100)}`;
    const result = await readToolResult(
      { content: [{ type: "text", text }] },
      { ...defaultResultBounds, textBytes: 10, large },
    );
    const [start, rest] = result.parts;
    expect(start).toEqual({ type: "text", text: "aüüüü" });
    if (rest?.type !== "large" || !rest.blob) throw new Error("the text was not stored");
    expect(Buffer.from(await large.get(rest.blob.hash)).toString()).toBe(text);
    expect(result.text).toContain(`the whole is kept as ${rest.blob.hash}`);
  });

  it("bounds the text of all parts together", async () => {
    const content = Array.from({ length: 5 }, () => ({ type: "text" as const, text: "12345" }));
    const { text, cut } = await readToolResult({ content }, { ...defaultResultBounds, textBytes: 12 });
    expect(cut).toBe(true);
    expect(text.split("\n").filter((line) => /^\d/.test(line))).toEqual(["12345", "12345", "12"]);
  });

  it("leaves large pictures and binary resources in the blob store", async () => {
    const large = await blobs();
    const data = Buffer.alloc(1_000, 1).toString("base64");
    const { parts, text } = await readToolResult(
      {
        content: [
          { type: "image", data, mimeType: "image/png" },
          { type: "resource", resource: { uri: "file:///b", mimeType: "application/zip", blob: data } },
        ],
      },
      { ...defaultResultBounds, mediaBytes: 100, large },
    );
    expect(parts).toMatchObject([
      { type: "large", mediaType: "image/png", size: 1_000, blob: { size: 1_000 } },
      { type: "large", mediaType: "application/zip", size: 1_000 },
    ]);
    expect(text).toContain("file:///b: 1000 bytes of application/zip");
  });

  it("drops a structured result that is too large, and says so", async () => {
    const structuredContent = { rows: Array.from({ length: 1_000 }, () => "row") };
    const bounds = { ...defaultResultBounds, textBytes: 100 };
    const result = await readToolResult(
      { content: [{ type: "text", text: "1000 rows" }], structuredContent },
      bounds,
    );
    expect(result.structured).toBeUndefined();
    expect(result.text).toMatch(/^1000 rows\n\[the structured result: \d+ bytes/);
    expect((await readToolResult({ content: [], structuredContent }, bounds)).cut).toBe(true);
  });
});
