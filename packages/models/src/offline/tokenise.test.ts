import { describe, expect, it } from "vitest";
import { contentStems, stem, words } from "./tokenise.ts";

describe("words", () => {
  it.each([
    ["createHTTPServer", ["create", "http", "server"]],
    ["version_service__version", ["version", "service", "version"]],
    ["kebab-case v2", ["kebab", "case", "v2"]],
    ["What’s Zürich's?", ["whats", "zürichs"]],
    ["", []],
  ])("of %j are %j", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });
});

describe("stems", () => {
  it.each([
    [["cities", "city"]],
    [["create", "creates", "creating", "created"]],
    [["search", "searches", "searching"]],
    [["stop", "stopping", "stopped"]],
    [["close", "closing", "closed"]],
    [["application", "applications"]],
  ])("are one for %j", (forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([["status"], ["address"], ["is"], ["v12s"]])("leave %s as it is", (word) => {
    expect(stem(word)).toBe(word);
  });

  it("leave out what sentences are built with", () => {
    expect(contentStems("Could you please show me all of the open tickets?")).toEqual([
      "show",
      "open",
      "ticket",
    ]);
  });
});
