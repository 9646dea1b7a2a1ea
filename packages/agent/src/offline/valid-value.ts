import { z } from "zod";
import type { JsonSchema } from "./json-schema.ts";

const compiled = new WeakMap<JsonSchema, z.ZodType | undefined>();

/** Whether a value keeps to a JSON Schema; a schema that cannot be compiled refuses nothing. */
export function isValid(value: unknown, schema: JsonSchema): boolean {
  if (!compiled.has(schema)) compiled.set(schema, compile(schema));
  try {
    return compiled.get(schema)?.safeParse(value).success ?? true;
  } catch {
    return true; // A schema that refers to itself in a way that cannot be followed.
  }
}

function compile(schema: JsonSchema): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return undefined; // Schemas come from other people's tools, in every dialect there is.
  }
}
