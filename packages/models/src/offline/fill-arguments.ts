import type { ToolDefinition } from "../model.ts";
import type { Arithmetic } from "./arithmetic.ts";
import type { Background } from "./background.ts";
import { fillByCalculation } from "./fill-calculation.ts";
import { fillByChoice } from "./fill-choice.ts";
import { fillByForm } from "./fill-form.ts";
import { fillByList } from "./fill-list.ts";
import { fillByName } from "./fill-name.ts";
import { addRecalled, addWholeReply, missingFrom } from "./fill-without-cue.ts";
import { fillByWords } from "./fill-words.ts";
import { type JsonSchema, type Property, propertiesOf, typeOf } from "./json-schema.ts";
import type { Remembered } from "./recall.ts";
import { UnclaimedText } from "./unclaimed-text.ts";
import { isValid } from "./valid-value.ts";

/** What a sentence gives to a tool. */
export interface Filled {
  /** One for each call: a sentence that names several places asks about each. None where something is missing. */
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  readonly missing: readonly Property[];
  /** How many arguments the sentence itself gave. */
  readonly given: number;
}

/** Where arguments come from. */
export interface Sources {
  readonly sentence: string;
  readonly arithmetic?: Arithmetic | undefined;
  /** Earlier results that the sentence may point at. */
  readonly earlier?: readonly Remembered[];
  /** Arguments that hold where the sentence says nothing else. */
  readonly base?: Readonly<Record<string, unknown>>;
  /** What the user answered when asked for what was missing, in order. */
  readonly replies?: readonly string[];
  /** What was said and found before, for tools that take a request in words and saw nothing of it. */
  readonly background?: Background;
}

/** What the ways of filling share while they fill one call. */
export interface Filling {
  readonly tool: ToolDefinition;
  readonly text: UnclaimedText;
  readonly sources: Sources;
  /** Further values of a property that the sentence gave a list of. */
  readonly further: Map<string, unknown[]>;
  /** How many properties of objects within the arguments may still be filled: references can unfold to millions. */
  nestedLeft: number;
}

/** A way to find a property's value; undefined where the sentence has none. */
export type FillProperty = (property: Property, filling: Filling) => unknown;

/** From what leaves least doubt to what leaves most; each way is tried on all properties before the next. */
const ways: readonly FillProperty[] = [
  fillByCalculation,
  fillByName,
  fillByChoice,
  fillByForm,
  fillByList,
  fillByWords,
];
const MOST_CALLS = 10;
const DEEPEST = 4;
const MAX_NESTED_PROPERTIES = 1_000;

/** Fills a tool's arguments from a sentence, by its schema; what it gives is always valid by that schema. */
export function fillArguments(tool: ToolDefinition, sources: Sources): Filled {
  const schema = tool.inputSchema;
  const further = new Map<string, unknown[]>();
  const filling = {
    tool,
    sources,
    further,
    text: new UnclaimedText(sources.sentence),
    nestedLeft: MAX_NESTED_PROPERTIES,
  };
  const found = filled(schema, filling);
  const given = Object.keys(found).length;
  for (const reply of sources.replies ?? []) {
    Object.assign(
      found,
      filled(
        schema,
        { ...filling, text: new UnclaimedText(reply), nestedLeft: MAX_NESTED_PROPERTIES },
        found,
      ),
    );
    addWholeReply(schema, reply, found);
  }
  const values = { ...sources.base, ...found };
  const meansAll = /\b(them|each|every|all|those|these|both)\b/i.test(sources.sentence);
  const recalled = addRecalled(schema, sources.earlier ?? [], { values, meansAll });
  const missing = missingFrom(values, schema);
  const spreadOut = missing.length > 0 ? [] : spread(values, [...further, ...recalled]);
  const calls = spreadOut.filter((call) => isValid(call, schema));
  return { calls, missing, given };
}

function filled(
  schema: JsonSchema,
  filling: Filling,
  known: object = {},
  depth = 0,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const properties = propertiesOf(schema, filling.tool.inputSchema)
    .filter(({ name }) => !Object.hasOwn(known, name))
    .sort((a, b) => Number(b.required) - Number(a.required));
  for (const way of ways) {
    for (const property of properties.filter(({ name }) => !Object.hasOwn(values, name))) {
      const value = way(property, filling);
      if (value !== undefined && isValid(value, property.schema)) values[property.name] = value;
    }
  }
  for (const { name, schema: inner, required } of properties) {
    if (!required || Object.hasOwn(values, name) || typeOf(inner) !== "object") continue;
    if (depth === DEEPEST || filling.nestedLeft <= 0) continue;
    filling.nestedLeft -= propertiesOf(inner, filling.tool.inputSchema).length + 1;
    const nested = filled(inner, filling, {}, depth + 1);
    if (isValid(nested, inner)) values[name] = nested;
  }
  return values;
}

function spread(
  values: Readonly<Record<string, unknown>>,
  further: readonly (readonly [string, readonly unknown[]])[],
): Readonly<Record<string, unknown>>[] {
  const others = further
    .flatMap(([name, more]) => more.map((value) => [name, value] as const))
    .slice(0, MOST_CALLS - 1);
  return [values, ...others.map(([name, value]) => ({ ...values, [name]: value }))];
}
