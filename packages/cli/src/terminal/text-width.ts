/** Characters without width: combining marks and joiners. */
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** Characters with double width: East Asian ones and most emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})$/u;

/** The columns that a character takes on a terminal. */
export function characterWidth(character: string): 0 | 1 | 2 {
  if (character >= " " && character <= "~") return 1;
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** The columns that a text without line breaks takes on a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}
