import type { FillProperty } from "./fill-arguments.ts";
import { isOwnWord, PROPER, QUOTED, unquoted } from "./fill-name.ts";
import { isSchema, typeOf } from "./json-schema.ts";
import { words } from "./tokenise.ts";

/** Names in a row: "Ann, Bo and Cy". */
export const PROPER_LIST = String.raw`${PROPER}(?:(?:,\s*(?:and\s+)?|\s+and\s+)${PROPER})*`;

const NAMES_ASKED_FOR = new RegExp(String.raw`\b(?:for|of|in|to|with)\s+(${PROPER_LIST})`, "u");
const NAMES_WITH = new RegExp(String.raw`\bwith\s+(${PROPER_LIST})`, "u");

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
  const parts = words(name);
  const called = parts.join(String.raw`[\s_-]*`).replace(/s$/, "");
  const found =
    (text.mentions([parts.join("").replace(/s$/, "")])
      ? text.take(new RegExp(String.raw`\b${called}s?\s*(?:=|:|are|of|named|called)?\s+([^;.!?]+)`, "i"))
      : undefined) ?? text.take(required ? NAMES_ASKED_FOR : NAMES_WITH);
  const members = membersOf(found ?? "").filter(isOwnWord);
  return members.length > 0 ? members : undefined;
};
