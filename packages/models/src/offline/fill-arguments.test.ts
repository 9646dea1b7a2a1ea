import { describe, expect, it } from "vitest";
import { fillArguments } from "./fill-arguments.ts";
import { date, flag, integer, number, text, tool } from "./testing/tool-definition.ts";

const fill = (properties: Record<string, object>, sentence: string, required?: string[]) =>
  fillArguments(tool("thing", "Does a thing.", properties, required === undefined ? {} : { required }), {
    sentence,
  });

describe("a sentence gives", () => {
  it.each([
    [
      "numbers by name",
      { replicas: integer, port: integer },
      "port 80 with 3 replicas",
      { replicas: 3, port: 80 },
    ],
    ["numbers by place", { x: number, y: number }, "at -1.5 and 2", { x: -1.5, y: 2 }],
    ["numbers in words", { count: integer }, "take three", { count: 3 }],
    ["a list of numbers", { values: { type: "array", items: number } }, "1, 2 and 3", { values: [1, 2, 3] }],
    [
      "a choice",
      { level: { ...text, enum: ["low", "very_high", "high"] } },
      "a very high one",
      { level: "very_high" },
    ],
    [
      "choices",
      { days: { type: "array", items: { ...text, enum: ["mon", "tue", "wed"] } } },
      "tue and mon",
      { days: ["tue", "mon"] },
    ],
    [
      "quoted text",
      { title: text, body: text },
      'write "One two" and “three”',
      { title: "One two", body: "three" },
    ],
    [
      "text by its name",
      { title: text, note: text },
      "note: it leaks, title: Roof",
      { title: "Roof", note: "it leaks" },
    ],
    ["a name", { name: text }, "a folder called Old letters in the attic", { name: "Old letters" }],
    ["a path", { path: text }, "open ../a/b.txt now", { path: "../a/b.txt" }],
    ["an address", { url: text }, "fetch https://example.org/a?b=1.", { url: "https://example.org/a?b=1" }],
    [
      "a mail address",
      { to: { ...text, format: "email" } },
      "write to ann@example.org",
      { to: "ann@example.org" },
    ],
    ["a date", { day: date }, "on 3 March 2026", { day: "2026-03-03" }],
    ["a date in another form", { day: date }, "on March 3rd, 2026", { day: "2026-03-03" }],
    ["an identifier", { issue_id: text }, "look at ABC-123", { issue_id: "ABC-123" }],
    ["what a pattern describes", { tag: { ...text, pattern: "^v\\d+$" } }, "release v12", { tag: "v12" }],
    ["a flag", { dry_run: flag }, "do a dry run", { dry_run: true }],
    ["a flag that is off", { verbose: flag }, "without verbose", { verbose: false }],
    ["a place", { city: text }, "how warm is it in New York", { city: "New York" }],
    ["a place in small letters", { city: text }, "how warm is it in oslo today?", { city: "oslo" }],
    [
      "where from and where to",
      { from: text, to: text },
      "a train from Lund to Malmö",
      { from: "Lund", to: "Malmö" },
    ],
    ["a person", { assignee: text }, "hand it to Mira", { assignee: "Mira" }],
    ["the only choice", { kind: { ...text, enum: ["x"] } }, "go", { kind: "x" }],
    [
      "a nested object",
      { filter: { type: "object", properties: { limit: integer }, required: ["limit"] } },
      "limit 5",
      { filter: { limit: 5 } },
    ],
    [
      "a message to somebody",
      { recipient: text, message: text },
      "tell it to Bo, saying lunch is ready",
      { recipient: "Bo", message: "lunch is ready" },
    ],
    ["the request itself", { message: text }, "Ask about tides", { message: "Ask about tides" }],
  ])("%s", (_, properties, sentence, expected) => {
    expect(fill(properties, sentence).calls).toEqual([expected]);
  });

  it("several values, which are several calls", () => {
    const { calls } = fill({ city: text }, "weather in Lund, Paris and Rome");
    expect(calls.map(({ city }) => city)).toEqual(["Lund", "Paris", "Rome"]);
  });

  it("nothing that is not there: then it is missing", () => {
    const { calls, missing } = fill({ city: text, days: integer }, "how is the weather today?");
    expect(calls).toEqual([]);
    expect(missing.map(({ name }) => name)).toEqual(["city", "days"]);
  });

  it("nothing that the schema does not allow", () => {
    expect(fill({ days: { ...integer, maximum: 10 } }, "for 30 days").missing).toHaveLength(1);
    expect(fill({ day: date }, "tomorrow").missing).toHaveLength(1);
  });

  it("nothing to what is optional by guessing", () => {
    expect(fill({ city: text, note: text }, "weather in Lund for the party", ["city"]).calls).toEqual([
      { city: "Lund" },
    ]);
  });
});

describe("a schema", () => {
  it("may use references, alternatives and null", () => {
    const inputSchema = {
      type: "object",
      $defs: { Level: { type: "string", enum: ["low", "high"] } },
      properties: {
        level: { $ref: "#/$defs/Level" },
        count: { anyOf: [{ type: "null" }, { type: "integer" }] },
        size: { type: ["null", "number"] },
      },
      required: ["level", "count", "size"],
    };
    const filled = fillArguments(
      { name: "thing", description: "", inputSchema },
      { sentence: "high, count 3, size 2.5" },
    );
    expect(filled.calls).toEqual([{ level: "high", count: 3, size: 2.5 }]);
  });

  it.each([
    {},
    { type: "object" },
    { properties: "none" },
    { $ref: "#/nowhere" },
    { type: "object", properties: { a: true } },
  ])("like %j asks for nothing", (inputSchema) => {
    expect(
      fillArguments({ name: "thing", description: "", inputSchema }, { sentence: "go" }).missing,
    ).toEqual([]);
  });
});
