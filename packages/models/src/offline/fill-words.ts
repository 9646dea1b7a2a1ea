import type { ToolDefinition } from "../model.ts";
import { withBackground } from "./background.ts";
import type { Filling, FillProperty } from "./fill-arguments.ts";
import { isOwnWord, PROPER, QUOTED, unquoted } from "./fill-name.ts";
import { type JsonSchema, type Property, propertiesOf, typeOf } from "./json-schema.ts";
import { oncePer } from "./once-per.ts";
import { beside, between, introduced, ordered, PHRASE_END } from "./placed-words.ts";
import { contentStems, stem } from "./tokenise.ts";
import { nameStems, nameWords, placeStems } from "./tool-terms.ts";
import { isCalled, isSearchTerm, isWholeRequest } from "./whole-request.ts";

const CALLED = new RegExp(String.raw`\b(?:called|named|titled|entitled|labelled)\s+(.+?)${PHRASE_END}`, "i");
const SOUGHT =
  /\b(?:look(?:ing)? up|find|search|grep)\s+([^\s,;.!?]+(?:\s+(?!(?:in|on|from|within)\b)[^\s,;.!?]+)*)/i;
const ABOUT = /\b(?:for|about|matching|containing|contains?|mentioning|on)\s+([^,;.!?]+)/i;
const LEFT_OVER =
  /(?<!\s)\s+(?:(?:under|over|below|above|within|less than|more than)\b.*|(?:in|on|from|for|to|with)\s*)$/i;
const SAID = /\b(?:saying|says|that)\s+(\S.*)$/is;
const AFTER_COLON = /:\s+(\S.*)$/s;
const MARKED =
  /\b(?:in|for|of|from|on)\s+(?:the\s+)?(\p{Lu}[\p{L}\p{N}_/-]*|[\p{L}\p{N}]+(?:[-_/][\p{L}\p{N}]+)+)/u;

const LOOKING_AROUND = contentStems("list tree search");
const MAKING = contentStems("create make write");
const BY = new RegExp(String.raw`\b(?:by|from)\s+(${PROPER})`, "u");

/** Finds what is left: quoted text, names, the request itself, or what its place in the sentence gives away. */
export const fillByWords: FillProperty = (property, filling) => {
  const { text, tool, sources } = filling;
  const { enum: choices, format, pattern } = property.schema;
  if (typeOf(property.schema) !== "string" || [choices, format, pattern].some((it) => it !== undefined))
    return undefined;
  if (isWholeRequest(property, tool.inputSchema)) {
    return text.share() ? withBackground(text.whole.trim(), sources.background ?? {}) : undefined;
  }
  const stated = text.take(QUOTED) ?? called(property, filling);
  if (stated !== undefined) return unquoted(stated);
  // A name that is plainly one, by its capital or its marks, is worth giving even where nothing is asked for.
  if (!property.required) {
    if (isCalled(property, "author", "creator", "owner")) return text.take(BY);
    const end = isCalled(property, "from", "to", "base", "head", "start", "end")
      ? text.attempt(between, () => between(filling))
      : undefined;
    return end ?? (isOnlyText(property, tool.inputSchema) ? text.take(MARKED) : undefined);
  }
  const isFile = isCalled(property, "path", "file", "filename") && nameWords(tool).has("file");
  return (
    sought(property, filling) ??
    text.attempt(between, () => between(filling)) ??
    // A file's name is written as one: any other word is what it is about.
    (isFile ? undefined : (introduced(property, filling) ?? besideOrdered(property, filling))) ??
    here(property, tool)
  );
};

function besideOrdered(property: Property, filling: Filling): string | undefined {
  if (isCalled(property, "path")) return undefined;
  const { text } = filling;
  return (
    text.attempt(beside, () => beside(filling)) ??
    (isCalled(property, "name", "id", "key") ? text.attempt(ordered, () => ordered(filling)) : undefined)
  );
}

/** What is listed or searched is here, where no other place is named. */
function here(property: Property, tool: ToolDefinition): string | undefined {
  const looks = LOOKING_AROUND.some((term) => nameStems(tool).has(term));
  return looks && isCalled(property, "path", "directory", "folder", "dir") ? "." : undefined;
}

const wantsGlob = oncePer(({ description }: ToolDefinition) => /\bglob\b/i.test(description));

/** A name as a pattern that finds it, for tools that want one. */
function asPattern(name: string | undefined, tool: ToolDefinition): string | undefined {
  if (name === undefined || !wantsGlob(tool)) return name;
  return /[*?[{]/.test(name) ? name : `**/*${name}*`;
}

function called(property: Property, { text, tool }: Filling): string | undefined {
  if (isSearchTerm(property)) return undefined;
  if (isCalled(property, "body", "message", "text", "content", "comment", "note"))
    return text.take(SAID) ?? text.take(AFTER_COLON);
  if (isCalled(property, "pattern")) return asPattern(text.take(CALLED), tool);
  const isNew = isCalled(property, "path") && MAKING.some((term) => nameStems(tool).has(term));
  const isName = isCalled(property, "name", "title", "subject", "label", "summary");
  return isName || isNew ? text.take(CALLED) : undefined;
}

function sought(property: Property, { text, tool }: Filling): string | undefined {
  if (!isSearchTerm(property) && !isCalled(property, "text")) return undefined;
  const own = nameStems(tool);
  const isValue = (phrase: string) => {
    const first = phrase.split(/\s+/)[0] ?? "";
    return isOwnWord(first) && !contentStems(first).some((term) => own.has(term));
  };
  const found = text.attempt(SOUGHT, () => text.take(SOUGHT, isValue)) ?? text.take(ABOUT);
  // Others have taken their values out of it, and left what led to them.
  return found
    ?.replace(/^(?:the|a|an)\s+/i, "")
    .replace(LEFT_OVER, "")
    .replace(/(?<!\s)\s+in\s+(?:the|this|our|my)\s+(\S+)$/i, (place, noun: string) =>
      placeStems(tool).has(stem(noun.toLowerCase())) ? "" : place,
    )
    .trim();
}

function isOnlyText({ name }: Property, schema: JsonSchema): boolean {
  const texts = freeTexts(schema);
  return texts.size === (texts.has(name) ? 1 : 0);
}

const freeTexts = oncePer(
  (schema: JsonSchema) =>
    new Set(
      propertiesOf(schema)
        .filter(({ schema: wanted }) => typeOf(wanted) === "string" && !Array.isArray(wanted.enum))
        .map(({ name }) => name),
    ),
);
