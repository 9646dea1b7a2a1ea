/** The start of a text that is longer than the limit, with a note that it was cut; any other text as it is. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const start = withoutHalf(text.slice(0, limit));
  return `${start}\n[cut: these are the first ${start.length} of ${text.length} characters]`;
}

/** A text without the half of a surrogate pair that a cut may have left at its end. */
export function withoutHalf(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}
