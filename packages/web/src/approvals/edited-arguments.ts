import { jsonStop } from "./json-stop.ts";

/** What is wrong with edited arguments, and where; lines and columns count from 1. */
interface ArgumentsProblem {
  readonly kind: "notJson" | "notObject";
  readonly line: number;
  readonly column: number;
  /** The place as an offset, for the cursor. */
  readonly offset: number;
}

/** Edited arguments: their value, or what is wrong with them. */
export type EditedArguments =
  | { readonly isRight: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly isRight: false; readonly problem: ArgumentsProblem };

/** Parses edited arguments, which must be a JSON object. */
export function readArguments(text: string): EditedArguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { isRight: false, problem: { kind: "notJson", ...at(text, jsonStop(text) ?? text.length) } };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { isRight: false, problem: { kind: "notObject", ...at(text, text.search(/\S/)) } };
  return { isRight: true, value: value as Record<string, unknown> };
}

function at(text: string, offset: number): Omit<ArgumentsProblem, "kind"> {
  const before = text.slice(0, offset);
  return { offset, line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
