import type { Filling, FillProperty } from "./fill-arguments.ts";
import { isOwnWord, PROPER, unquoted } from "./fill-name.ts";
import { isSchema, type JsonSchema, type Property, propertiesOf, typeOf } from "./json-schema.ts";
import { contentStems, stem, words } from "./tokenise.ts";
import type { UnclaimedText } from "./unclaimed-text.ts";

const QUOTED = /"([^"]+)"|“([^”]+)”|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)/;
const PROPER_LIST = String.raw`${PROPER}(?:(?:,\s*(?:and\s+)?|\s+and\s+)${PROPER})*`;
const DESCRIBING =
  /^(current|latest|last|new|newest|whole|entire|first|next|open|closed|old|oldest|main|other|following|full|right|wrong)$/i;
const PLAIN = String.raw`[\p{L}\p{N}][\p{L}\p{N}_./-]*`;

const PHRASE_END = String.raw`(?=\s+(?:in|at|for|of|from|on|to|with|and|as|by|into|today|tomorrow|please|right|now)\b|[,;!?]|\.?\s*$|\.\s)`;

/** Finds what is left: quoted text, names, the request itself, or what a preposition introduces. */
export const fillByWords: FillProperty = (property, filling) => {
  if (typeOf(property.schema) === "array") return list(property, filling);
  if (typeOf(property.schema) !== "string" || Array.isArray(property.schema.enum)) return undefined;
  if (property.schema.format !== undefined || property.schema.pattern !== undefined) return undefined;
  const { text, tool, sources } = filling;
  if (isWholeRequest(property, tool.inputSchema)) {
    const { background } = sources;
    return background === undefined ? text.whole.trim() : `${text.whole.trim()}\n\n${background}`;
  }
  const quoted = text.take(QUOTED);
  if (quoted !== undefined) return unquoted(quoted);
  if (has(property, "name", "title", "subject", "label", "summary")) {
    const called = text.take(
      new RegExp(String.raw`\b(?:called|named|titled|entitled|labelled)\s+(.+?)${PHRASE_END}`, "i"),
    );
    if (called !== undefined) return called;
  }
  if (!property.required) return isOnlyText(property, tool.inputSchema) ? marked(text) : undefined;
  if (has(property, "query", "search", "term", "keyword", "topic", "text", "q")) {
    const sought =
      text.take(
        /\b(?:look(?:ing)? up|find|search|grep)\s+([^,;.!?]+?)(?=\s+(?:in|on|from|within)\b|[,;.!?]|$)/i,
        startsWithValue,
      ) ?? text.take(/\b(?:for|about|matching|containing|mentioning|on)\s+([^,;.!?]+)/i);
    if (sought !== undefined) return sought.replace(/^(?:the|a|an)\s+/i, "");
  }
  return between(filling) ?? introduced(property, filling) ?? following(filling);
};

function startsWithValue(phrase: string): boolean {
  return isOwnWord(phrase.split(/\s+/)[0] ?? "");
}

function isOnlyText({ name }: Property, schema: JsonSchema): boolean {
  const texts = propertiesOf(schema).filter(
    (other) => typeOf(other.schema) === "string" && !Array.isArray(other.schema.enum),
  );
  return texts.every((other) => other.name === name);
}

/** A name that is plainly one, by its capital or its marks, for a property that may as well stay empty. */
function marked(text: UnclaimedText): string | undefined {
  const named = String.raw`\b(?:in|for|of|from|on)\s+(?:the\s+)?(\p{Lu}[\p{L}\p{N}-]*|[\p{L}\p{N}]+(?:[-_/][\p{L}\p{N}]+)+)`;
  return text.take(new RegExp(named, "u"));
}

/** "between X and Y" gives one value to each of two properties. */
function between({ text }: Filling): string | undefined {
  if (!/\bbetween\b/i.test(text.whole)) return undefined;
  return (text.take(/\bbetween\s+([^\s,]+)/i) ?? text.take(/\band\s+([^\s,]+)/i))?.replace(/[.?!]$/, "");
}

/** A property that wants the request in its own words, as agents do. */
export function isWholeRequest(property: Property, schema: Readonly<Record<string, unknown>>): boolean {
  if (has(property, "message", "request", "prompt", "task", "instruction", "question", "input")) return true;
  const alone = propertiesOf(schema).filter(({ required }) => required).length <= 1;
  return (
    alone &&
    has(property, "query", "text") &&
    /natural|question|request|user|ask|plain/i.test(property.description)
  );
}

function has({ name }: Property, ...terms: string[]): boolean {
  return words(name).some((word) => terms.includes(stem(word)) || terms.includes(word));
}

function introduced(property: Property, { text, tool, further }: Filling): string | undefined {
  const lead = leadOf(property);
  const proper = text.take(new RegExp(String.raw`\b(?:${lead})\s+(?:the\s+)?(${PROPER_LIST})`, "u"));
  if (proper !== undefined) {
    const [first, ...others] = proper
      .split(/,\s*(?:and\s+)?|\s+and\s+/)
      .map((name) => name.replace(/[.,]$/, ""));
    if (others.length > 0) further.set(property.name, others);
    return first;
  }
  const own = new Set(contentStems(tool.name));
  const isValue = (phrase: string) =>
    isOwnWord(phrase.split(/\s+/)[0] ?? "") &&
    !words(phrase)
      .map(stem)
      .every((it) => own.has(it));
  const phrase = String.raw`(${PLAIN}(?:\s+${PLAIN}){0,5}?)${PHRASE_END}`;
  return text.take(new RegExp(String.raw`\b(?:${lead})\s+(?:the\s+|my\s+|our\s+)?${phrase}`, "iu"), isValue);
}

function leadOf(property: Property): string {
  if (has(property, "to", "recipient", "target", "destination", "assignee")) return "to|into|for|at";
  return has(property, "from", "source", "origin", "sender")
    ? "from"
    : "in|at|for|of|from|on|near|about|with|to";
}

/** "application guestbook" and "ticket ABC": the word behind the tool's own noun; a name in mid-sentence too. */
function following({ text, tool }: Filling): string | undefined {
  const own = new Set(contentStems(tool.name));
  const found = [...text.left.matchAll(/([\p{L}\p{N}_-]+)\s+([\p{L}\p{N}_][\p{L}\p{N}_./-]*)/gu)];
  const overlapping = [
    ...text.left.matchAll(/(?<=\s)([\p{L}\p{N}_-]+)\s+([\p{L}\p{N}_][\p{L}\p{N}_./-]*)/gu),
  ];
  const described = new Set(contentStems(tool.description));
  const pair = [...found, ...overlapping].find(([, noun = "", value = ""]) => {
    const isNoun = words(noun)
      .map(stem)
      .some((it) => own.has(it));
    return (
      isNoun &&
      isOwnWord(value) &&
      !own.has(stem(value.toLowerCase())) &&
      !described.has(stem(value.toLowerCase()))
    );
  });
  const value =
    pair?.[2] ??
    preceding(text.left, own) ??
    new RegExp(String.raw`(?<=[\p{Ll}\p{N},]\s)${PROPER}`, "u").exec(text.left)?.[0];
  return value === undefined ? undefined : text.take(new RegExp(escaped(value)))?.replace(/[.,!?]$/, "");
}

/** "the web deployment": the word between an article and the tool's own noun. */
function preceding(text: string, own: ReadonlySet<string>): string | undefined {
  const found = [...text.matchAll(/\b(?:the|my|our)\s+([\p{L}\p{N}_-]+)\s+([\p{L}-]+)/giu)];
  return found.find(([, value = "", noun = ""]) => {
    const isNoun = words(noun)
      .map(stem)
      .some((it) => own.has(it));
    return isNoun && isOwnWord(value) && !own.has(stem(value.toLowerCase())) && !DESCRIBING.test(value);
  })?.[1];
}

function list(property: Property, { text, sources }: Filling): string[] | undefined {
  const { items } = property.schema;
  if (!isSchema(items) || typeOf(items) !== "string") return undefined;
  const quoted: string[] = [];
  for (let found = text.take(QUOTED); found !== undefined; found = text.take(QUOTED))
    quoted.push(unquoted(found) ?? "");
  if (quoted.length > 0) return quoted;
  const name = words(property.name).join(String.raw`[\s_-]*`).replace(/s$/, "");
  const named = text.take(
    new RegExp(String.raw`\b${name}s?\s*(?:=|:|are|of|named|called)?\s+([^;.!?]+)`, "i"),
  );
  const plain =
    named ??
    text.take(
      new RegExp(
        String.raw`\b(?:${property.required ? "for|of|in|to|with" : "with"})\s+(${PROPER_LIST})`,
        "u",
      ),
    );
  const values = plain?.split(/,\s*(?:and\s+)?|\s+and\s+/).filter(isOwnWord);
  return values === undefined || values.length === 0 || sources.sentence === "" ? undefined : values;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
