import type { FillProperty } from "./fill-arguments.ts";
import { isOwnWord, PROPER, QUOTED, unquoted } from "./fill-name.ts";
import { isSchema, typeOf } from "./json-schema.ts";
import { words } from "./tokenise.ts";

/** Names in a row: "Ann, Bo and Cy". */
export const PROPER_LIST = String.raw`${PROPER}(?:(?:,\s*(?:and\s+)?|\s+and\s+)${PROPER})*`;

/** What is quoted, but not as the name of one thing: 'called "Visitors"'. */
const QUOTED_MEMBER = new RegExp(
  String.raw`(?<!\b(?:called|named|titled|entitled)\s+)(?:${QUOTED.source})`,
  QUOTED.flags,
);

/** The members of a list in words. */
export function membersOf(list: string): string[] {
  return list.split(/,\s*(?:and\s+)?|(?<!\s)\s+and\s+/).map((member) => member.trim().replace(/[.,!?]$/, ""));
}

/** Finds a list of texts: what is quoted, what follows the property's name, or names behind a preposition. */
export const fillByList: FillProperty = ({ name, schema, required }, { text }) => {
  const { items } = schema;
  if (typeOf(schema) !== "array" || !isSchema(items) || typeOf(items) !== "string") return undefined;
  const quoted: string[] = [];
  for (let found = text.take(QUOTED_MEMBER); found !== undefined; found = text.take(QUOTED_MEMBER))
    quoted.push(unquoted(found));
  if (quoted.length > 0) return quoted;
  const called = words(name).join(String.raw`[\s_-]*`).replace(/s$/, "");
  const lead = required ? "for|of|in|to|with" : "with";
  const found =
    text.take(new RegExp(String.raw`\b${called}s?\s*(?:=|:|are|of|named|called)?\s+([^;.!?]+)`, "i")) ??
    text.take(new RegExp(String.raw`\b(?:${lead})\s+(${PROPER_LIST})`, "u"));
  const members = membersOf(found ?? "").filter(isOwnWord);
  return members.length > 0 ? members : undefined;
};
