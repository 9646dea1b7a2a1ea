/** Characters that JSON does not escape and a terminal acts on or hides. */
const HIDDEN = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff]/g;

/** JSON in which invisible characters are escaped, so that readers see exactly what is there. */
export function visibleJson(value: unknown, indent?: number): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return (JSON.stringify(value, null, indent) ?? "null").replaceAll(HIDDEN, escaped);
}

/** Control sequences, which start with ESC or with a C1 character. */
const SEQUENCES = new RegExp(
  [
    // Strings with an end: titles, links, the clipboard.
    String.raw`(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n\u009d\u0090\u0098\u009e\u009f]*(?:\u0007|\u001b\\|\u009c)`,
    // Colours, movements, modes.
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join("|"),
  "g",
);
/** All control characters except \n and \t, and those that change the writing direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Removes everything that a terminal would act on, except \n and \t. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(SEQUENCES, "").replaceAll(CONTROLS, "");
}

/** An untrusted text in one line of at most this many characters. */
export function oneLine(text: string, most = 100): string {
  const line = plainText(text.slice(0, 20 * most))
    .replaceAll(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : line;
}
