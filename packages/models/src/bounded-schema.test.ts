import { describe, expect, it } from "vitest";
import { z } from "zod";
import { boundedSchema } from "./bounded-schema.ts";

describe("boundedSchema", () => {
  it("drops patterns and references, and keeps members of the same names", () => {
    const schema = {
      type: "object",
      required: ["pattern"],
      properties: {
        pattern: { type: "string", minLength: 1, pattern: "(a+)+$" },
        const: { type: "array", uniqueItems: true, items: { pattern: "(a+)+$", maxLength: 3 } },
        $ref: { enum: ["a", "b"] },
        other: { $ref: "#/$defs/evil", title: "Other" },
      },
      propertyNames: { pattern: "(a+)+$" },
      $defs: { evil: { pattern: "(a+)+$" } },
      default: { pattern: "(a+)+$" },
    };
    expect(boundedSchema(schema)).toEqual({
      type: "object",
      required: ["pattern"],
      properties: {
        pattern: { type: "string", minLength: 1 },
        const: { type: "array", items: { maxLength: 3 } },
        $ref: { enum: ["a", "b"] },
        other: {},
      },
      propertyNames: {},
    });
  });

  it.each([
    [{ not: { pattern: "^a" } }, "b"],
    [{ if: { pattern: "^a" }, else: { maxLength: 1 } }, "aa"],
    [
      {
        oneOf: [
          { type: "string", pattern: "^a" },
          { type: "string", pattern: "^b" },
        ],
      },
      "bb",
    ],
    [{ type: "object", patternProperties: { "^a": {} }, additionalProperties: false }, { ab: 1 }],
  ])("accepts everything that %j allows: %j", (schema, value) => {
    const check = z.fromJSONSchema(boundedSchema(schema) as Parameters<typeof z.fromJSONSchema>[0]);
    expect(check.safeParse(value).success).toBe(true);
  });
});
