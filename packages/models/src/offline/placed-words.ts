import type { Filling } from "./fill-arguments.ts";
import { membersOf, PROPER_LIST } from "./fill-list.ts";
import { isOwnWord, PROPER } from "./fill-name.ts";
import type { Property } from "./json-schema.ts";
import { contentStems, stem, words } from "./tokenise.ts";
import { isVerb } from "./vocabulary.ts";
import { isCalled } from "./whole-request.ts";

const DESCRIBING =
  /^(current|latest|last|new|newest|whole|entire|first|next|open|closed|old|oldest|main|other|following|full|right|wrong)$/i;
const PLAIN = String.raw`[\p{L}\p{N}][\p{L}\p{N}_./-]*`;

/** Where a phrase ends: before a preposition, a comma, or the end of the sentence. */
export const PHRASE_END = String.raw`(?=\s+(?:in|at|for|of|from|on|to|with|and|as|by|into|today|tomorrow|please|right|now)\b|[,;!?]|\.?\s*$|\.\s)`;

/** "between X and Y" and "compare X with Y" give one value to each of two properties. */
export function between({ text }: Filling): string | undefined {
  if (/\bcompare\b/i.test(text.whole))
    return (
      text.take(/\bcompare\s+([^\s,]+)(?=\s+(?:with|to|and|against)\b)/i) ??
      text.take(/\b(?:with|to|and|against)\s+([^\s,]+)/i)
    )?.replace(/[.?!]$/, "");
  if (!/\bbetween\b/i.test(text.whole)) return undefined;
  return (text.take(/\bbetween\s+([^\s,]+)/i) ?? text.take(/\band\s+([^\s,]+)/i))?.replace(/[.?!]$/, "");
}

/** What a preposition introduces: "in New York"; of several names in a row each is a value. */
export function introduced(property: Property, { text, tool, further }: Filling): string | undefined {
  const lead = leadOf(property);
  const proper = text.take(new RegExp(String.raw`\b(?:${lead})\s+(?:the\s+)?(${PROPER_LIST})`, "u"));
  if (proper !== undefined) {
    const [first, ...others] = membersOf(proper);
    if (others.length > 0) further.set(property.name, others);
    return first;
  }
  const own = new Set(contentStems(`${tool.name} ${tool.description}`));
  const isValue = (phrase: string) =>
    isOwnWord(phrase.split(/\s+/)[0] ?? "") && contentStems(phrase).some((term) => !own.has(term));
  const phrase = String.raw`(${PLAIN}(?:\s+${PLAIN}){0,5}?)${PHRASE_END}`;
  const found = text.take(
    new RegExp(String.raw`\b(?:${lead})\s+(?:the\s+|my\s+|our\s+)?${phrase}`, "iu"),
    isValue,
  );
  return found === undefined ? undefined : withoutDeed(found, contentStems(tool.name));
}

/** "a sync of shop change" and "the shop app" speak of shop: a verb or the tool's own noun at the end is no part of it. */
function withoutDeed(phrase: string, own: readonly string[]): string {
  const parts = phrase.split(/\s+/);
  const isOther = (part: string) =>
    isVerb(stem(part.toLowerCase())) || own.includes(stem(part.toLowerCase()));
  const end = parts.findLastIndex((part) => !isOther(part));
  return end === -1 ? phrase : parts.slice(0, end + 1).join(" ");
}

/** The one word that an order is about: "deploy shop". */
export function ordered({ text, tool }: Filling): string | undefined {
  const [, order = "", value] =
    /^\s*(?:please\s+)?(\p{L}+)\s+([\p{L}\p{N}_-]+)[\s.!]*$/iu.exec(text.left) ?? [];
  const own = contentStems(`${tool.name} ${tool.description}`);
  const isOrder = isVerb(stem(order.toLowerCase())) && own.includes(stem(order.toLowerCase()));
  if (!isOrder || value === undefined || !isOwnWord(value) || own.includes(stem(value.toLowerCase())))
    return undefined;
  return text.take(new RegExp(String.raw`${value}(?=[\s.!]*$)`, "u"));
}

function leadOf(property: Property): string {
  if (isCalled(property, "to", "recipient", "target", "destination", "assignee")) return "to|into|for|at";
  if (isCalled(property, "from", "source", "origin", "sender")) return "from";
  return "in|at|for|of|from|on|near|about|with|to";
}

/** A word beside the tool's own noun, "application guestbook" or "the web deployment", or a name in mid-sentence. */
export function beside({ text, tool }: Filling): string | undefined {
  const own = new Set(contentStems(tool.name));
  const described = new Set(contentStems(tool.description));
  const isNoun = (word: string) =>
    words(word)
      .map(stem)
      .some((term) => own.has(term));
  const isValue = (word: string) => isOwnWord(word) && !isNoun(word);
  const behind = [
    ...text.left.matchAll(/(?<![\p{L}\p{N}_-])([\p{L}\p{N}_-]+)(?=\s+([\p{L}\p{N}_][\p{L}\p{N}_./-]*))/gu),
  ];
  const before = [...text.left.matchAll(/\b(?:the|my|our)\s+([\p{L}\p{N}_-]+)\s+([\p{L}-]+)/giu)];
  const value =
    behind.find(
      ([, noun = "", word = ""]) => isNoun(noun) && isValue(word) && !described.has(stem(word.toLowerCase())),
    )?.[2] ??
    before.find(([, word = "", noun = ""]) => isNoun(noun) && isValue(word) && !DESCRIBING.test(word))?.[1] ??
    new RegExp(String.raw`(?<=[\p{Ll}\p{N},]\s)${PROPER}`, "u").exec(text.left)?.[0];
  if (value === undefined) return undefined;
  return text.take(new RegExp(value.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)))?.replace(/[.,!?]$/, "");
}
