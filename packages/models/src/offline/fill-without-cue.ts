import { isSchema, type JsonSchema, type Property, propertiesOf, typeOf } from "./json-schema.ts";
import { type Remembered, recalledValues } from "./recall.ts";
import { isValid } from "./valid-value.ts";

/** Values of a call while they are being found. */
type Values = Record<string, unknown>;

/** For each, all earlier results are looked through. */
const MAX_RECALLED = 20;

/** Adds a short reply to a question as it is: it needs no cue to be the value that was asked for. */
export function addWholeReply(schema: JsonSchema, reply: string, found: Values): void {
  const [property] = missingFrom(found, schema);
  if (property === undefined) return;
  const value = converted(reply.trim().replace(/^["'“]|["'”]?[.!]?$/g, ""), property.schema);
  if (value !== undefined && isValid(value, property.schema)) found[property.name] = value;
}

/** Adds what is still missing from earlier results; returns the further values where all of a list are meant. */
export function addRecalled(
  schema: JsonSchema,
  earlier: readonly Remembered[],
  { values, meansAll }: { readonly values: Values; readonly meansAll: boolean },
): Map<string, unknown[]> {
  const further = new Map<string, unknown[]>();
  for (const { name, schema: wanted } of missingFrom(values, schema).slice(0, MAX_RECALLED)) {
    const [first, ...others] = recalledValues(name, earlier)
      .map((value) => suited(value, wanted))
      .filter((value) => value !== undefined && isValid(value, wanted));
    // One of many would be a guess.
    if (first === undefined || (others.length > 0 && !meansAll)) continue;
    values[name] = first;
    if (others.length > 0) further.set(name, others);
  }
  return further;
}

/** What a schema requires and these values do not have. */
export function missingFrom(values: Readonly<Values>, schema: JsonSchema): Property[] {
  return propertiesOf(schema).filter(({ name, required }) => required && !Object.hasOwn(values, name));
}

function suited(value: unknown, schema: JsonSchema): unknown {
  if (typeOf(schema) === "string" && typeof value === "number") return String(value);
  return typeof value === "string" && typeOf(schema) !== "string" ? converted(value, schema) : value;
}

function converted(text: string, schema: JsonSchema): unknown {
  switch (typeOf(schema)) {
    case "string":
    case "other":
      return text;
    case "number":
    case "integer":
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
    case "boolean":
      return /^(yes|true|on)$/i.test(text) ? true : /^(no|false|off)$/i.test(text) ? false : undefined;
    case "array": {
      const items = isSchema(schema.items) ? schema.items : {};
      return text.split(/,\s*|(?<!\s)\s+and\s+/).map((item) => converted(item, items));
    }
    case "object":
      return undefined;
  }
}
