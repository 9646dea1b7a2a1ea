import { RE2JS } from "re2js";
import { z } from "zod";
import { boundedSchema } from "../bounded-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

type Check = (value: unknown) => boolean;

const LONGEST_PATTERN = 200;
const compiled = new WeakMap<JsonSchema, Check>();

/** Whether a value keeps to a JSON Schema, in linear time; what cannot be checked so refuses nothing. */
export function isValid(value: unknown, schema: JsonSchema): boolean {
  const check = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, check);
  return check(value);
}

/** A pattern from outside as a test that runs in linear time; undefined where there is no such test. */
export function linearPattern(pattern: unknown): ((text: string) => boolean) | undefined {
  if (typeof pattern !== "string" || isCostly(pattern)) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => compiled.test(text);
  } catch {
    return undefined; // It cannot be read, or looks ahead or back.
  }
}

/** What is repeated so many times is written out to be compiled. */
function isCostly(pattern: string): boolean {
  const times = [...pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)].map(([, least, most]) =>
    Number(most || least),
  );
  return pattern.length > LONGEST_PATTERN || /\)\{/.test(pattern) || sum(times) > LONGEST_PATTERN;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function compile(schema: JsonSchema): Check {
  const matches = linearPattern(schema.pattern);
  try {
    const bounded = z.fromJSONSchema(boundedSchema(schema) as Parameters<typeof z.fromJSONSchema>[0]);
    return (value) =>
      (typeof value !== "string" || matches?.(value) !== false) && bounded.safeParse(value).success;
  } catch {
    return () => true; // Schemas come from other people's tools, in every dialect there is.
  }
}
