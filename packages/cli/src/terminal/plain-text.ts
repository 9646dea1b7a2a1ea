import { stripVTControlCharacters } from "node:util";

// All controls but newline and tab, and those that turn the direction of writing: they could make a line say what it does not.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text that somebody else wrote, without what would command a terminal; newlines and tabs stay. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, "");
}
