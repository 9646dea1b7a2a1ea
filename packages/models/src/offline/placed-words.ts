import type { ToolDefinition } from "../model.ts";
import type { Filling } from "./fill-arguments.ts";
import { membersOf, PROPER_LIST } from "./fill-list.ts";
import { isOwnWord, PROPER } from "./fill-name.ts";
import type { Property } from "./json-schema.ts";
import { contentStems, stem, words } from "./tokenise.ts";
import { descriptionStems, nameStems } from "./tool-terms.ts";
import { isVerb } from "./vocabulary.ts";
import { isCalled } from "./whole-request.ts";

const DESCRIBING =
  /^(current|latest|last|new|newest|whole|entire|first|next|open|closed|old|oldest|main|other|following|full|right|wrong)$/i;
const PLAIN = String.raw`[\p{L}\p{N}][\p{L}\p{N}_./-]*`;

/** Where a phrase ends: before a preposition, a comma, or the end of the sentence. */
export const PHRASE_END = String.raw`(?=\s+(?:in|at|for|of|from|on|to|with|and|as|by|into|today|tomorrow|please|right|now)\b|[,;!?]|\.?\s*$|\.\s)`;

/** "between X and Y" and "compare X with Y" give one value to each of two properties. */
export function between({ text }: Filling): string | undefined {
  if (/\bcompare\b/i.test(text.beginning))
    return (
      text.take(/\bcompare\s+([^\s,]+)(?=\s+(?:with|to|and|against)\b)/i) ??
      text.take(/\b(?:with|to|and|against)\s+([^\s,]+)/i)
    )?.replace(/[.?!]$/, "");
  if (!/\bbetween\b/i.test(text.beginning)) return undefined;
  return (text.take(/\bbetween\s+([^\s,]+)/i) ?? text.take(/\band\s+([^\s,]+)/i))?.replace(/[.?!]$/, "");
}

/** What a preposition introduces: "in New York"; of several names in a row each is a value. */
export function introduced(property: Property, filling: Filling): string | undefined {
  const lead = leadOf(property);
  return filling.text.attempt(lead, () => introducedBy(lead, property, filling));
}

function introducedBy(
  lead: string,
  property: Property,
  { text, tool, further }: Filling,
): string | undefined {
  const proper = text.take(new RegExp(String.raw`\b(?:${lead})\s+(?:the\s+)?(${PROPER_LIST})`, "u"));
  if (proper !== undefined) {
    const [first, ...others] = membersOf(proper);
    if (others.length > 0) further.set(property.name, others);
    return first;
  }
  const isValue = (phrase: string) =>
    isOwnWord(phrase.split(/\s+/)[0] ?? "") && contentStems(phrase).some((term) => !isOfTool(term, tool));
  const phrase = String.raw`(${PLAIN}(?:\s+${PLAIN}){0,5}?)${PHRASE_END}`;
  const found = text.take(
    new RegExp(String.raw`\b(?:${lead})\s+(?:the\s+|my\s+|our\s+)?${phrase}`, "iu"),
    isValue,
  );
  return found === undefined ? undefined : withoutDeed(found, nameStems(tool));
}

/** "a sync of shop change" and "the shop app" speak of shop: a verb or the tool's own noun at the end is no part of it. */
function withoutDeed(phrase: string, own: ReadonlySet<string>): string {
  const parts = phrase.split(/\s+/);
  const isOther = (part: string) => isVerb(stem(part.toLowerCase())) || own.has(stem(part.toLowerCase()));
  const end = parts.findLastIndex((part) => !isOther(part));
  return end === -1 ? phrase : parts.slice(0, end + 1).join(" ");
}

/** The one word that an order is about: "deploy shop". */
export function ordered({ text, tool }: Filling): string | undefined {
  const [, order = "", value] =
    /^\s*(?:please\s+)?(\p{L}+)\s+([\p{L}\p{N}_-]+)[\s.!]*$/iu.exec(text.left) ?? [];
  const isOrder = isVerb(stem(order.toLowerCase())) && isOfTool(stem(order.toLowerCase()), tool);
  if (!isOrder || value === undefined || !isOwnWord(value) || isOfTool(stem(value.toLowerCase()), tool))
    return undefined;
  return text.take(new RegExp(String.raw`${value}(?=[\s.!]*$)`, "u"));
}

function isOfTool(term: string, tool: ToolDefinition): boolean {
  return nameStems(tool).has(term) || descriptionStems(tool).has(term);
}

function leadOf(property: Property): string {
  if (isCalled(property, "to", "recipient", "target", "destination", "assignee")) return "to|into|for|at";
  if (isCalled(property, "from", "source", "origin", "sender")) return "from";
  return "in|at|for|of|from|on|near|about|with|to";
}

/** A word beside the tool's own noun, "application guestbook" or "the web deployment", or a name in mid-sentence. */
export function beside({ text, tool }: Filling): string | undefined {
  const own = nameStems(tool);
  const described = descriptionStems(tool);
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
