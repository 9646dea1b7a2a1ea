import { isObject } from "@parley/a2a";

type Schema = Readonly<Record<string, unknown>>;

const SCHEMAS = new Set(["items", "prefixItems", "additionalItems", "propertyNames", "allOf", "anyOf"]);
const SCHEMAS_BY_NAME = new Set(["properties", "dependentSchemas"]);

/**
 * A schema from outside without what could make checking a value expensive: patterns, which validators run on an
 * engine that backtracks, references, by which a few lines unfold to millions, and the comparison of all items of a list. It refuses no value that the
 * schema itself allows, so what depends on the parts left out (`not`, `if`, how many alternatives match) is left out too.
 */
export function boundedSchema(schema: Schema): Schema {
  if (schema.$ref !== undefined || schema.$dynamicRef !== undefined) return {};
  const { pattern, patternProperties, uniqueItems, additionalProperties, oneOf, ...rest } = schema;
  const bounded: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries({ anyOf: oneOf, ...rest })) {
    if (SCHEMAS.has(keyword)) bounded[keyword] = within(value);
    else if (SCHEMAS_BY_NAME.has(keyword) && isObject(value)) bounded[keyword] = eachOf(value);
    // Of other structure nothing stays: a validator could be led to read data as a schema.
    else if (!isStructure(value) || (Array.isArray(value) && !value.some(isStructure)))
      bounded[keyword] = value;
  }
  // Which members are additional depends on the patterns.
  if (patternProperties === undefined) bounded.additionalProperties = within(additionalProperties);
  return Object.fromEntries(Object.entries(bounded).filter(([, value]) => value !== undefined));
}

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within);
  return isObject(value) ? boundedSchema(value) : value;
}

function eachOf(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, within(schema)]));
}

function isStructure(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
