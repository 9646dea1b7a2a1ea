import type { FillProperty } from "./fill-arguments.ts";
import { typeOf } from "./json-schema.ts";
import { isStopWord, stem, words } from "./tokenise.ts";
import type { UnclaimedText } from "./unclaimed-text.ts";
import { isValid } from "./valid-value.ts";
import { isVerb, numberWords, relativeDays } from "./vocabulary.ts";

const FIGURE = String.raw`-?\d+(?:\.\d+)?`;
/** Text in quotation marks, with them; an apostrophe is none. */
export const QUOTED = /"[^"]+"|“[^“”]+”|`[^`]+`|(?<!\w)'[^']+'(?!\w)/;
/** Words with capitals, in a row: a name. */
export const PROPER = String.raw`\p{Lu}[\p{L}\p{N}'’._/-]*(?:\s+(?:(?:of|de|la|upon|am)\s+)?\p{Lu}[\p{L}\p{N}'’._/-]*)*`;
const LINK = String.raw`\s*(?:(?:=|:|\bis\b|\bto\b|\bof\b|\bas\b|\bequals?\b|\b(?:called|named|titled)\b)\s*)?`;

/** Finds a value by its property's own name: "replicas=3", "city Lund", "5 days", "with title: Late again". */
export const fillByName: FillProperty = (property, { text }) => {
  const name = nameAsSpoken(property.name);
  if (name === "") return undefined;
  const isMentioned = text.mentions(coreOf(property.name));
  // What is no value of this property may still be one of another.
  const isValue = (word: string) => isValid(unquoted(word), property.schema);
  switch (typeOf(property.schema)) {
    case "number":
    case "integer": {
      if (!isMentioned) return undefined;
      const figures = `${FIGURE}|${Object.keys(numberWords).join("|")}`;
      const found =
        text.take(new RegExp(String.raw`\b${name}${LINK}#?(${figures})\b`, "i")) ??
        text.take(new RegExp(String.raw`(?<![\w.])(${figures})[\s-]*${name}\b`, "i"));
      return found === undefined ? undefined : (numberWords[found.toLowerCase()] ?? Number(found));
    }
    case "boolean":
      return flag(
        text,
        property.name.replace(/^(?:is|has|include|enabled?|show)(?=[A-Z_])|_?only$/gi, ""),
        isMentioned
          ? text.take(new RegExp(String.raw`\b${name}${LINK}(true|false|yes|no|on|off)\b`, "i"))
          : undefined,
      );
    case "string":
      if (!isMentioned || Array.isArray(property.schema.enum)) return undefined;
      return named(name, text, isValue);
    default:
      return undefined;
  }
};

function named(name: string, text: UnclaimedText, isValue: (word: string) => boolean): string | undefined {
  const found =
    text.take(new RegExp(String.raw`\b${name}${LINK}(${QUOTED.source})`, "i"), isValue) ??
    text.take(new RegExp(String.raw`\b${name}\s*(?:=|:)\s*([^,;\n]+)`, "i"), isValue) ??
    text.take(new RegExp(String.raw`(?i:\b${name}${LINK})(${PROPER})`, "u"), isValue) ??
    text.take(
      new RegExp(String.raw`\b${name}${LINK}#?([\p{L}\p{N}_@][\p{L}\p{N}_./@:#-]*)`, "iu"),
      (word) => isOwnWord(word) && isValue(word),
    );
  return found === undefined ? undefined : unquoted(found);
}

/** Without quotation marks around it and a full stop behind it. */
export function unquoted(text: string): string {
  return text.replace(/^["'“`]|["'”`]$/g, "").replace(/[.!?]$/, "");
}

/** Whether a word can be a value: not a word of the sentence's frame, a deed, or a day. */
export function isOwnWord(word: string): boolean {
  const lower = word.toLowerCase().replace(/[.!?,]$/, "");
  if (/^(?:called|named|titled|doing|going)$/.test(lower)) return false;
  return lower !== "" && !isStopWord(lower) && !isVerb(stem(lower)) && !relativeDays.test(lower);
}

/** "ticketId" is spoken as "ticket id", "ticket number" or just "ticket"; a plural may be a singular. */
function nameAsSpoken(name: string): string {
  const core = coreOf(name);
  if (core.length === 0) return "";
  const isMark = core.length < words(name).length;
  return `${core.join(String.raw`[\s_-]*`)}s?${isMark ? String.raw`(?:[\s_-]*(?:id|key|number|name|no\.?))?` : ""}`;
}

/** The words of a name that are always spoken, the last without the ending of a plural. */
function coreOf(name: string): string[] {
  const parts = words(name);
  const isMark = parts.length > 1 && /^(id|key|number|name|no)$/.test(parts.at(-1) ?? "");
  const core = isMark ? parts.slice(0, -1) : parts;
  return core.map((part, index) => (index === core.length - 1 ? part.replace(/s$/, "") : part));
}

function flag(text: UnclaimedText, property: string, stated: string | undefined): boolean | undefined {
  const name = nameAsSpoken(property);
  if (name === "") return undefined;
  if (stated !== undefined) return /^(true|yes|on)$/i.test(stated);
  if (!text.mentions(coreOf(property))) return undefined;
  if (
    new RegExp(String.raw`\b(?:without|no|not|don'?t|never|non)[\s-]+(?:\w+\s+)?${name}\b`, "i").test(
      text.beginning,
    )
  )
    return false;
  return new RegExp(String.raw`\b${name}\b`, "i").test(text.beginning) ? true : undefined;
}
