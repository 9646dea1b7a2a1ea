import type { ToolDefinition } from "../model.ts";
import { type JsonSchema, type Property, propertiesOf, typeOf } from "./json-schema.ts";
import { oncePer } from "./once-per.ts";
import { stem, words } from "./tokenise.ts";

/** Whether a property's name has one of these words, in any form. */
export function isCalled({ name }: Property, ...terms: string[]): boolean {
  return words(name).some((word) => terms.includes(word) || terms.includes(stem(word)));
}

const requiredTexts = oncePer(
  (schema: JsonSchema) =>
    new Set(
      propertiesOf(schema)
        .filter(({ required, schema: wanted }) => required && typeOf(wanted) === "string")
        .map(({ name }) => name),
    ),
);

/** Whether a property wants the request in its own words, as agents do: the one text that the tool needs. */
export function isWholeRequest(property: Property, schema: JsonSchema): boolean {
  const needed = requiredTexts(schema);
  const needsMore = needed.size > (needed.has(property.name) ? 1 : 0);
  if (needsMore || typeOf(property.schema) !== "string") return false;
  if (isCalled(property, "message", "request", "prompt", "task", "instruction", "question", "input"))
    return true;
  const isAsked = /natural|question|request|user|ask|plain/i.test(property.description);
  return isAsked && isCalled(property, "query", "text");
}

/** Whether a tool takes a request in its own words, as agents do. */
export const takesRequests = oncePer(({ inputSchema }: ToolDefinition) =>
  propertiesOf(inputSchema).some((property) => isWholeRequest(property, inputSchema)),
);

/** The agent that a sentence asks by its name, whatever it is about: "ask the shopkeeper: what is 2+2?". */
export function addressedIn(sentence: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  const [, name = ""] = /^\s*(?:please\s+)?(?:ask|tell)\s+(?:the\s+)?([\w-]+)/i.exec(sentence) ?? [];
  return tools.find((tool) => tool.name.toLowerCase() === name.toLowerCase() && takesRequests(tool));
}

/** Whether a sentence has a file's name in it, by its ending. */
export function namesFile(sentence: string): boolean {
  return /[\w-]\.[a-z][a-z0-9]{0,4}\b/i.test(sentence);
}

/** Whether a property is what a search looks for. */
export function isSearchTerm(property: Property): boolean {
  if (isCalled(property, "query", "search", "term", "keyword", "topic", "q")) return true;
  return isCalled(property, "text", "pattern") && /\bsearch|\bfind|\blook/i.test(property.description);
}
