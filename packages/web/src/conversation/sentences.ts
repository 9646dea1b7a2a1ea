const END_OF_SENTENCE = /[.!?…:]["')\]]*(?=\s)|\n/g;

/** The length of the part of a text that consists of whole sentences or lines. */
export function wholeSentences(text: string, isDone: boolean): number {
  if (isDone) return text.length;
  let end = 0;
  for (const match of text.matchAll(END_OF_SENTENCE)) end = match.index + match[0].length;
  return end;
}
