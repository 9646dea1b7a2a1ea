/** Characters that JSON leaves as they are and a terminal acts on, or shows as something else. */
const HIDDEN = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff]/g;

/** A value as JSON in which nothing is hidden: it says to a terminal, and to a reader, exactly what is there. */
export function visibleJson(value: unknown, indent?: number): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return (JSON.stringify(value, null, indent) ?? "null").replaceAll(HIDDEN, escaped);
}
