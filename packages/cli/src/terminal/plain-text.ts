// Escape sequences as a whole, so that nothing of a colour or a window title is left behind.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text without control characters and escape sequences; new lines and tabs stay. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, "").replace(CONTROLS, "");
}
