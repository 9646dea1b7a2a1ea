import type { z } from "zod";

/** What an issue expected and what it found, in words for the author of a file. */
export function issueMessage(issue: z.core.$ZodIssue, found: unknown): string {
  const path = pathText(issue.path);
  const missing = found === undefined;
  switch (issue.code) {
    case "invalid_type":
      return missing
        ? `${path} is missing: expected ${kind(issue.expected)}`
        : `${path}: expected ${kind(issue.expected)}, but this is ${kindOf(found)}${hint(issue.expected, found)}`;
    case "invalid_value": {
      const expected = issue.values.map(String).join(", ");
      return missing
        ? `${path} is missing: expected one of ${expected}`
        : `${path}: expected one of ${expected}, but this is ${short(found)}`;
    }
    case "too_small":
      return issue.origin === "string"
        ? `${path} is empty`
        : `${path}: expected at least ${issue.minimum}, but this is ${short(found)}`;
    case "too_big":
      return issue.origin === "string"
        ? `${path}: expected at most ${issue.maximum} characters`
        : `${path}: expected at most ${issue.maximum}, but this is ${short(found)}`;
    default:
      return `${path}: ${issue.message}, but this is ${short(found)}`;
  }
}

/** A path as people write it: `skills[0].tags`. */
export function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return text.replace(/^\./, "") || "the document";
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "keys with values",
  record: "keys with values",
};

function kind(expected: string): string {
  return kinds[expected] ?? expected;
}

function kindOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return kind(typeof value);
}

function hint(expected: string, found: unknown): string {
  return expected === "string" && (typeof found === "number" || typeof found === "boolean")
    ? ": put it in quotes"
    : "";
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
