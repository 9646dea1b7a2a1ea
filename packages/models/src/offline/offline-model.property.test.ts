import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ModelMessage, ToolDefinition } from "../model.ts";
import { collected } from "../testing/collected.ts";
import { offlineModel } from "./offline-model.ts";
import { operationCalculator } from "./testing/calculators.ts";
import { converse } from "./testing/converse.ts";
import { crew, planTool } from "./testing/crew.ts";
import { carryOutPlan } from "./testing/supervised.ts";
import { ticketTools } from "./testing/ticket-tools.ts";
import {
  calendar,
  cluster,
  deliveries,
  files,
  knowledge,
  mail,
  repository,
  units,
  weather,
} from "./testing/tool-sets.ts";

const knownTools = [
  ...operationCalculator,
  ...calendar,
  ...cluster,
  ...deliveries,
  ...files,
  ...knowledge,
  ...mail,
  ...repository,
  ...units,
  ...weather,
  ...crew,
  ...ticketTools(),
  planTool,
  carryOutPlan(crew),
];

const word = fc.constantFrom(
  ..."show list create ticket weather in Paris and then it them 3 2+2 called 'x' \"Long text\" to from /tmp/a.txt high -1 each first, add pod message file 2026-05-01 a@b.org https://x.org , . ? ( ) | - not dry".split(
    " ",
  ),
);
const sentence = fc.oneof(
  fc.array(word, { maxLength: 15 }).map((words) => words.join(" ")),
  fc.string({ unit: "grapheme", maxLength: 60 }),
);

const leaf = fc.oneof(
  fc.record({ type: fc.constant("string"), maxLength: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ type: fc.constant("integer"), minimum: fc.integer({ min: -3, max: 3 }) }),
  fc.constantFrom<object>(
    { type: "string" },
    { type: "number" },
    { type: "boolean" },
    { type: "string", enum: ["high", "low", "a"] },
    { type: "string", format: "date" },
    { type: "string", pattern: "^[a-z]+$" },
    { type: "string", pattern: "(" },
    { type: "array", items: { type: "number" }, minItems: 2 },
    { type: "array", items: { type: "string" } },
    { anyOf: [{ type: "integer" }, { type: "null" }] },
    { const: 7 },
    {},
  ),
);
const name = fc.oneof(
  fc.constantFrom("ticket_id", "city", "message", "query", "path", "a", "_", "toUnit"),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const schema = fc.dictionary(name, leaf, { maxKeys: 4 }).chain((properties) =>
  fc.record({
    type: fc.constant("object"),
    properties: fc.constant(properties),
    required: fc.subarray(Object.keys(properties)),
  }),
);
const anyTool: fc.Arbitrary<ToolDefinition> = fc.oneof(
  fc.constantFrom(...knownTools),
  fc.record({ name: fc.oneof(word, name), description: sentence, inputSchema: schema }),
);
const tools = fc.uniqueArray(anyTool, { maxLength: 8, selector: (tool) => tool.name });

const call = fc.record({
  id: fc.constantFrom("call_1_step_1", "call_2_step_2", "call_1_look_1", "call_1_plan", "foreign"),
  tool: fc.constantFrom(...knownTools.map((tool) => tool.name)),
  arguments: fc.oneof(fc.constant(undefined), fc.dictionary(name, fc.jsonValue())),
  text: fc.string(),
});
const outcome = fc.record({
  id: call.map(({ id }) => id),
  tool: fc.string(),
  failed: fc.boolean(),
  text: fc.oneof(fc.json(), fc.string()),
});
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), text: sentence }),
  fc.record({
    role: fc.constant("assistant" as const),
    text: fc.oneof(sentence, fc.constant("Which?")),
    calls: fc.array(call, { maxLength: 2 }),
  }),
  fc.record({ role: fc.constant("tool" as const), outcomes: fc.array(outcome, { maxLength: 2 }) }),
);

describe("whatever is said, with whatever tools", () => {
  it("a turn ends exactly once, last, and every call keeps to its tool's schema", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 8 }),
        tools,
        fc.boolean(),
        async (messages, offered, thinking) => {
          const { events, calls, end, error } = await collected(offlineModel(), {
            messages,
            tools: offered,
            thinking,
          });
          expect(error).toBeUndefined();
          expect(events.filter(({ type }) => type === "end")).toEqual([events.at(-1)]);
          expect(end?.reason).toBe(calls.length > 0 ? "tool-calls" : "stop");
          expect(calls.length > 0 || events.some(({ type }) => type === "text")).toBe(true);
          expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
          for (const { tool, arguments: args, text } of calls) {
            expect(JSON.parse(text)).toEqual(args);
            const used = offered.find((one) => one.name === tool);
            expect(isAllowed(args, used?.inputSchema)).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("a conversation comes to an answer each time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sentence, { minLength: 1, maxLength: 4 }),
        fc.constantFrom([], [planTool], [carryOutPlan(crew)]),
        async (said, planning) => {
          const offered = [...planning, ...ticketTools(), ...weather, ...operationCalculator, ...crew];
          const { answers } = await converse(offered, said);
          expect(answers).toHaveLength(said.length);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("a tool is found by its own name, though nobody has heard of it before", async () => {
    const syllables = fc.array(fc.constantFrom("zor", "quib", "fla", "mek", "tun", "vro"), {
      minLength: 2,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          syllables.map((parts) => parts.join("")),
          { minLength: 2, maxLength: 6 },
        ),
        async (names) => {
          const offered = names.map((one) => ({
            name: `get_${one}`,
            description: "",
            inputSchema: { type: "object" },
          }));
          const messages = [{ role: "user" as const, text: `Please show me the ${names[0]}` }];
          const { calls } = await collected(offlineModel(), { messages, tools: offered });
          expect(calls.map(({ tool }) => tool)).toEqual([`get_${names[0]}`]);
        },
      ),
      { numRuns: 50 },
    );
  });
});

/** A second opinion on arguments, from a schema compiled afresh; a schema that is none allows everything. */
function isAllowed(args: unknown, schema: ToolDefinition["inputSchema"] | undefined): boolean {
  let compiled: z.ZodType;
  try {
    compiled = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return schema !== undefined;
  }
  return compiled.safeParse(args).success;
}
