import { cpuGrowth } from "@parley/testing/cpu-growth.ts";
import { cpuTime } from "@parley/testing/cpu-time.ts";
import { describe, expect, it } from "vitest";
import type { ModelMessage, ToolDefinition } from "../model.ts";
import { collected } from "../testing/collected.ts";
import { offlineModel } from "./offline-model.ts";

interface Asked {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
}

const listOf = <Item>(length: number, item: (index: number) => Item) =>
  Array.from({ length }, (_, at) => item(at));
const text = { type: "string", description: "words" };
const same = (count: number, schema: object, name = "prop") =>
  Object.fromEntries(listOf(count, (at) => [`${name}_${at}`, schema]));
const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});
const tool = (inputSchema: object, name = "many", description = "search"): ToolDefinition => ({
  name,
  description,
  inputSchema: { ...inputSchema },
});
const ask = (request: string, ...tools: ToolDefinition[]): Asked => ({
  messages: [{ role: "user", text: request }],
  tools,
});
const turn = async ({ messages, tools }: Asked) => {
  const { error } = await collected(offlineModel(), { messages: [...messages], tools: [...tools] });
  expect(error).toBeUndefined();
};

/** Requests of so many parts. */
const GROWING: Readonly<Record<string, (count: number) => Asked>> = {
  "required properties": (n) => ask("search for cats", tool(object(same(n, text)))),
  "optional properties": (n) => ask("search for cats", tool({ ...object(same(n, text)), required: [] })),
  "search terms": (n) => ask("search for cats", tool(object(same(n, text, "query")))),
  "numbers of a calculation": (n) =>
    ask("calculate 2+3", tool(object(same(n, { type: "number" })), "calculate", "math")),
  "flags and words": (n) =>
    ask(`search ${"cats ".repeat(n)}`, tool({ ...object(same(n, { type: "boolean" })), required: [] })),
  "properties for the request itself": (n) =>
    ask(`search ${"cats ".repeat(n)}`, tool({ ...object(same(n, text, "message")), required: [] })),
  "properties and words of a description": (n) =>
    ask("search for cats", tool(object(same(n, text, "path")), "many", "search words ".repeat(n))),
  "references to many choices": (n) =>
    ask(
      "search for cats",
      tool(
        object(same(n, { $ref: "#/$defs/a" }), { $defs: { a: { enum: listOf(n, (at) => `choice ${at}`) } } }),
      ),
    ),
  tools: (n) =>
    ask("search for cats", ...listOf(n, (at) => tool(object({ query: text }), `find_${at}`, `search ${at}`))),
  "tools that read files": (n) =>
    ask("what is in the minutes", ...listOf(n, (at) => tool(object({ path: text }), `read_${at}`, ""))),
  "words of a request and of a description": (n) =>
    ask(
      `search ${listOf(5 * n, (at) => `word${at}`).join(" ")}`,
      tool(object({ query: text }), "many", `search ${listOf(5 * n, (at) => `other${at}`).join(" ")}`),
    ),
  "questions that were answered": (n) => ({
    messages: [
      { role: "user", text: "search for cats" },
      ...listOf(n, (): ModelMessage[] => [
        { role: "assistant", text: "What?", calls: [] },
        { role: "user", text: "red" },
      ]).flat(),
    ],
    tools: [tool(object(same(30, text)))],
  }),
};

describe("a turn of the offline model", () => {
  it.each(Object.entries(GROWING))(
    "costs no more for each of many %s",
    { timeout: 60_000 },
    async (_, asked) => {
      // About 10 where the cost is linear, 100 where it is quadratic.
      expect(await cpuGrowth((count) => turn(asked(count)), 200)).toBeLessThan(20);
    },
  );

  it.each([
    [
      "that is all of itself",
      object(
        { a: { $ref: "#/$defs/a" } },
        { $defs: { a: { allOf: listOf(500, () => ({ $ref: "#/$defs/a" })) } } },
      ),
    ],
    [
      "that has itself within it",
      object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: object(same(100, { $ref: "#/$defs/a" })) } }),
    ],
  ])("is not kept busy by a schema %s", async (_, schema) => {
    const before = cpuTime();
    await turn(ask("search for cats", tool(schema)));
    expect(cpuTime() - before).toBeLessThan(1_000);
  });

  it("is not kept busy by many requests in one to a tool of many properties", async () => {
    const request = listOf(110, (at) => `search for c${at}.`).join(" ");
    const before = cpuTime();
    await turn(ask(request, tool(object(same(2_000, text)))));
    expect(cpuTime() - before).toBeLessThan(3_000);
  });
});
