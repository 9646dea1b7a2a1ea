/** What a terminal would act on: sequences that begin with ESC or with one of the C1 characters that stand for ESC and a letter. */
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
/** All control characters but \n and \t, and those that turn the direction of writing, which would show other words than are there. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with nothing in it that a terminal would act on; keeps \n and \t. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(SEQUENCES, "").replaceAll(CONTROLS, "");
}
