import type { Filling, FillProperty } from "./fill-arguments.ts";
import { isSchema, type Property, typeOf } from "./json-schema.ts";
import { words } from "./tokenise.ts";
import { nameWords } from "./tool-terms.ts";
import type { UnclaimedText } from "./unclaimed-text.ts";
import { linearPattern } from "./valid-value.ts";
import { numberWords } from "./vocabulary.ts";

const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.]*\w/;
const ADDRESS = /https?:\/\/[^\s"'<>]*[^\s"'<>.,;!?)]/;
const DATE_TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?/;
const DATE = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/;
const TIME = /(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m\b)?(?!\d)/i;
const PATH =
  /(?<![\w/:])(?:~|\.{1,2})?\/[\w.@/-]*[\w/]|(?<![\w/@-])[\w@-]+(?:\/[\w.@-]+)+|(?<![\w/-])[\w-]+\.[a-z][a-z0-9]{0,4}(?![\w@])/i;
/** A path that is not where something goes to. */
const PATH_TO_GO = new RegExp(String.raw`(?<!\b(?:to|into|as)\s{1,9})(?:${PATH.source})`, "i");
const IDENTIFIER =
  /#\d+|\b[A-Z][A-Z0-9]+-\d+\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{3,}\b|\b\d+\b/i;
const REVISION =
  /\b[0-9a-f]{7,40}\b|(?<![\w./-])[./-]*(?=\w)(?=[\w./-]*[A-Za-z])([\w./-]+[~^][~^\d]*)|\b(?:[A-Z]+_)?HEAD\b/;
const NUMBER = new RegExp(
  String.raw`(?<![\w.~^])-?\d+(?:\.\d+)?|\b(?:${Object.keys(numberWords).slice(2).join("|")})\b`,
  "i",
);
const FILE_WORDS = ["file", "files", "directory", "folder", "path"];
const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
const MONTH = MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?`).join("|");
const DAY_FIRST = new RegExp(
  String.raw`\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:${MONTH})\.?,?\s+\d{4}\b`,
  "i",
);
const MONTH_FIRST = new RegExp(String.raw`\b(?:${MONTH})\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}\b`, "i");

/** Finds a value by its form: numbers, dates, addresses, paths, identifiers, or what a pattern describes. */
export const fillByForm: FillProperty = (property, filling) => {
  const { text, sources } = filling;
  // The numbers of a calculation that does not fit are not free for anything else.
  const numbersAreFree = sources.arithmetic === undefined;
  switch (typeOf(property.schema)) {
    case "number":
    case "integer":
      return numbersAreFree ? number(text.take(NUMBER)) : undefined;
    case "array": {
      const { items } = property.schema;
      if (!numbersAreFree) return undefined;
      if (!isSchema(items) || !["number", "integer"].includes(typeOf(items)) || !text.share())
        return undefined;
      const found = (text.left.match(new RegExp(NUMBER, "gi")) ?? []).map(number);
      return found.length > 0 ? found : undefined;
    }
    case "string":
      return Array.isArray(property.schema.enum) ? undefined : formed(property, filling);
    default:
      return undefined;
  }
};

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : (numberWords[text.toLowerCase()] ?? Number(text));
}

function formed({ name, description, schema }: Property, { text, tool }: Filling): string | undefined {
  const isAboutFiles = FILE_WORDS.some((word) => nameWords(tool).has(word));
  const { format, pattern } = schema;
  const parts = words(name);
  const has = (...terms: string[]) => terms.some((term) => parts.includes(term));
  if (format === "email" || has("email", "mail")) return text.take(EMAIL);
  if (format === "uri" || format === "url" || has("url", "uri", "link", "website")) return text.take(ADDRESS);
  if (format === "date-time") return text.take(DATE_TIME);
  if (format === "date") return date(text);
  if (has("date", "day", "deadline", "due", "since", "until", "before", "after"))
    return text.take(DATE_TIME) ?? date(text);
  if (format === "time" || has("time", "hour")) return text.take(TIME);
  if (typeof pattern === "string") return matching(pattern, text);
  if (has("path", "file", "filename", "dir", "directory", "folder")) return text.take(PATH);
  if (has("id", "key", "identifier", "number", "issue")) return text.take(IDENTIFIER)?.replace(/^#/, "");
  // A bare number is more often how many are wanted.
  if (has("sha", "commit", "version", "revision"))
    return text.take(REVISION) ?? text.take(IDENTIFIER, (found) => !/^\d+$/.test(found))?.replace(/^#/, "");
  if (isAboutFiles && has("source", "from", "origin")) return text.take(PATH_TO_GO);
  if (isAboutFiles && has("destination", "target", "to")) return text.take(PATH);
  return /\b(path|file)\b/i.test(description) ? text.take(PATH) : undefined;
}

function date(text: UnclaimedText): string | undefined {
  const written = text.take(DATE);
  if (written !== undefined) return written;
  const found = text.take(DAY_FIRST) ?? text.take(MONTH_FIRST);
  if (found === undefined) return undefined;
  const year = /\d{4}/.exec(found)?.[0] ?? "";
  const day = /\b\d{1,2}(?=\D)/.exec(found)?.[0] ?? "";
  const name = found
    .toLowerCase()
    .match(/[a-z]{3,}/g)
    ?.find((word) => MONTHS.some((month) => month.startsWith(word.slice(0, 3))));
  const month = MONTHS.findIndex((full) => full.startsWith(name?.slice(0, 3) ?? "-")) + 1;
  return `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function matching(pattern: string, text: UnclaimedText): string | undefined {
  const matches = linearPattern(pattern);
  return matches && text.take(/[^\s,;"']+/, matches)?.replace(/[.!?]$/, "");
}
