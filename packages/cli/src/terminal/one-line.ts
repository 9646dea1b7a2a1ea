import { plainText } from "./plain-text.ts";

/** Somebody's text in one line of at most so many characters. */
export function oneLine(text: string, most = 100): string {
  const line = plainText(text.slice(0, 20 * most))
    .replaceAll(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : line;
}
