import { openMemoryJournal } from "@parley/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import { defaultResultBounds, readToolResult } from "./read-tool-result.ts";

async function blobs() {
  const journal = await openMemoryJournal();
  onTestFinished(() => journal.close());
  return journal.blobs;
}

describe("a tool result", () => {
  it("keeps large text complete in the blob store, and truncates it without splitting a character", async () => {
    const large = await blobs();
    const text = `a${"ü".repeat(100)}`;
    const result = await readToolResult(
      { content: [{ type: "text", text }] },
      { ...defaultResultBounds, textBytes: 10, large },
    );
    const [start, rest] = result.text.split("\n");
    expect(start).toBe("aüüüü");
    const hash = /the whole is kept as (\w+)/.exec(rest ?? "")?.[1] ?? "";
    expect(Buffer.from(await large.get(hash)).toString()).toBe(text);
  });

  it("is limited in the total text of all parts", async () => {
    const content = Array.from({ length: 5 }, () => ({ type: "text" as const, text: "12345" }));
    const { text, cut } = await readToolResult({ content }, { ...defaultResultBounds, textBytes: 12 });
    expect(cut).toBe(true);
    expect(text.split("\n").filter((line) => /^\d/.test(line))).toEqual(["12345", "12345", "12"]);
  });

  it("has images, audio and resources as files with unique names, which the model is shown", async () => {
    const data = Buffer.from("bytes").toString("base64");
    const { files, text, cut } = await readToolResult(
      {
        content: [
          { type: "text", text: "Here they are." },
          { type: "image", data, mimeType: "image/jpeg" },
          { type: "image", data, mimeType: "image/jpeg" },
          { type: "audio", data, mimeType: "audio/wav" },
          {
            type: "resource",
            resource: { uri: "box://a/b%20c.zip?x=1", mimeType: "application/zip", blob: data },
          },
          { type: "resource", resource: { uri: "box://notes", mimeType: "text/markdown", text: "# Hé" } },
          {
            ...{
              type: "resource",
              resource: { uri: "box://a/table.csv", mimeType: "text/csv", text: "a,b" },
            },
            annotations: { audience: ["user"] },
          },
          { type: "resource_link", uri: "https://elsewhere.example/x", name: "x", mimeType: "image/png" },
        ],
      },
      defaultResultBounds,
    );
    expect(files).toEqual([
      { name: "image.jpg", mediaType: "image/jpeg", base64: data },
      { name: "image-2.jpg", mediaType: "image/jpeg", base64: data },
      { name: "audio.wav", mediaType: "audio/wav", base64: data },
      { name: "b c.zip", mediaType: "application/zip", base64: data },
      { name: "notes.md", mediaType: "text/markdown", base64: Buffer.from("# Hé").toString("base64") },
      { name: "table.csv", mediaType: "text/csv", base64: Buffer.from("a,b").toString("base64") },
      { name: "x", mediaType: "image/png", url: "https://elsewhere.example/x" },
    ]);
    expect(text.split("\n")).toEqual([
      "Here they are.",
      "[given to the user as a file: image.jpg, image/jpeg, 5 bytes]",
      "[given to the user as a file: image-2.jpg, image/jpeg, 5 bytes]",
      "[given to the user as a file: audio.wav, audio/wav, 5 bytes]",
      "[given to the user as a file: b c.zip, application/zip, 5 bytes]",
      "[given to the user as a file: notes.md, text/markdown, 5 bytes]",
      "# Hé",
      "[given to the user as a file: table.csv, text/csv, 3 bytes]",
      "[given to the user as a file: x, which is at https://elsewhere.example/x]",
    ]);
    expect(cut).toBe(false);
  });

  it("keeps oversized files in the blob store, with a note", async () => {
    const large = await blobs();
    const data = Buffer.alloc(1_000, 1).toString("base64");
    const { files, text, cut } = await readToolResult(
      {
        content: [
          { type: "image", data, mimeType: "image/png" },
          { type: "resource", resource: { uri: "file:///b", mimeType: "application/zip", blob: data } },
        ],
      },
      { ...defaultResultBounds, fileBytes: 999, large },
    );
    expect([files, cut]).toEqual([[], true]);
    expect(text).toMatch(
      /^\[image.png was not given to the user, because a file may have 999 bytes: 1000 bytes of image\/png; the whole is kept as \w+\]\n\[b.zip was/,
    );
  });

  it("is limited in its number of files, with one note", async () => {
    const data = Buffer.from("x").toString("base64");
    const content = Array.from({ length: 5 }, () => ({
      ...{ type: "image" as const, data, mimeType: "image/png" },
    }));
    const { files, text, cut } = await readToolResult({ content }, { ...defaultResultBounds, files: 2 });
    expect([files.length, cut]).toEqual([2, true]);
    expect(text.split("\n").slice(2)).toEqual([
      "[only the first 2 files were given to the user: the others were left out]",
    ]);
  });

  it("drops an oversized structured result, with a note", async () => {
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
