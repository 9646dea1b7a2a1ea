import { oncePer } from "./once-per.ts";

/** A JSON Schema, as far as we read it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One property of an object's schema. */
export interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description: string;
}

export type ValueType = "string" | "number" | "integer" | "boolean" | "array" | "object" | "other";

const DEEPEST = 8;
const MAX_REFERENCE_CHARACTERS = 1_000;
/** How much the references of one object may add to it, as JSON: a few of them can unfold to millions. */
const MAX_REFERENCED_CHARACTERS = 200_000;
const propertiesWithin = oncePer((root: JsonSchema) =>
  oncePer((schema: JsonSchema) => readProperties(schema, root)),
);
const charactersOf = oncePer((schema: JsonSchema) => JSON.stringify(schema).length);

/** The document that references point into, and how much they may still add. */
interface SchemaDocument {
  readonly root: JsonSchema;
  left: number;
}

/** The properties of an object's schema, references within the document followed. */
export function propertiesOf(schema: JsonSchema, root: JsonSchema = schema): readonly Property[] {
  return propertiesWithin(root)(schema);
}

function readProperties(schema: JsonSchema, root: JsonSchema): readonly Property[] {
  const document = { root, left: MAX_REFERENCED_CHARACTERS };
  const { properties, required } = resolved(schema, document);
  if (!isSchema(properties)) return [];
  const names = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).flatMap(([name, value]) => {
    if (!isSchema(value)) return [];
    const property = resolved(value, document);
    const description = [value.description, property.title].filter((text) => typeof text === "string");
    return [{ name, schema: property, required: names.has(name), description: description.join(" ") }];
  });
}

/** A schema with its references followed and its first alternative that is not null taken. */
function resolved(schema: JsonSchema, document: SchemaDocument, depth = 0): JsonSchema {
  if (depth > DEEPEST) return {};
  const { $ref, anyOf, oneOf, allOf, ...rest } = schema;
  const target = typeof $ref === "string" ? lookUp($ref, document.root) : undefined;
  if (target !== undefined) {
    document.left -= charactersOf(target);
    return { ...(document.left < 0 ? {} : resolved(target, document, depth + 1)), ...rest };
  }
  const options = [anyOf, oneOf].find(Array.isArray);
  const chosen = options?.filter(isSchema).find((option) => option.type !== "null");
  if (chosen !== undefined) return { ...resolved(chosen, document, depth + 1), ...rest };
  if (!Array.isArray(allOf)) return schema;
  return Object.assign(
    {},
    rest,
    ...allOf.filter(isSchema).map((part) => resolved(part, document, depth + 1)),
  );
}

/** What kind of value a schema wants; of several types the first that is not null. */
export function typeOf({ type, enum: choices, properties, items }: JsonSchema): ValueType {
  const named = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  switch (named) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "array":
    case "object":
      return named;
  }
  if (isSchema(properties)) return "object";
  if (isSchema(items)) return "array";
  return Array.isArray(choices) && choices.every((choice) => typeof choice === "string") ? "string" : "other";
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lookUp(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith("#/") || reference.length > MAX_REFERENCE_CHARACTERS) return undefined;
  const path = reference
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = path.reduce<unknown>((at, part) => (isSchema(at) ? at[part] : undefined), root);
  return isSchema(found) ? found : undefined;
}
