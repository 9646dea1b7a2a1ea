import { describe, expect, it } from "vitest";
import type { Artifact, TaskArtifactUpdate } from "../../protocol/model.ts";
import { joinText } from "./event-batch.ts";

const piece = (text: string, more: Partial<TaskArtifactUpdate> = {}, artifact: Partial<Artifact> = {}) => ({
  artifactUpdate: {
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [{ text }], ...artifact },
    append: true,
    lastChunk: false,
    ...more,
  },
});

describe("neighbouring pieces of text", () => {
  it("are joined, with the first piece's append and the last piece's lastChunk", () => {
    const joined = joinText(piece("a", { append: false }), piece("b", { lastChunk: true }));
    expect(joined).toEqual(piece("ab", { append: false, lastChunk: true }));
  });

  it.each([
    ["after the last", piece("a", { lastChunk: true }), piece("b")],
    ["that begin anew", piece("a"), piece("b", { append: false })],
    ["of another artifact", piece("a"), piece("b", {}, { artifactId: "b" })],
    ["with metadata of their own", piece("a"), piece("b", {}, { metadata: { x: 1 } })],
    ["whose event has metadata", piece("a"), piece("b", { metadata: { x: 1 } })],
    ["that are not text alone", piece("a"), piece("b", {}, { parts: [{ text: "b", filename: "f" }] })],
    ["of two parts", piece("a"), piece("b", {}, { parts: [{ text: "b" }, { text: "c" }] })],
    ["after something else", { cancelAsked: true }, piece("b")],
  ])("are not joined: those %s", (_, first, second) => {
    expect(joinText(first, second)).toBeUndefined();
  });
});
