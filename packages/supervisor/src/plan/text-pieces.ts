const MOST = 10;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text in pieces of at most 10 characters, none of which ends within what a reader takes for one character. */
export function* textPieces(text: string): Generator<string, void, void> {
  if (text.length <= MOST) {
    if (text !== "") yield text;
    return;
  }
  let piece = "";
  for (const { segment } of segmenter.segment(text)) {
    if (piece !== "" && piece.length + segment.length > MOST) {
      yield piece;
      piece = "";
    }
    piece += segment;
  }
  yield piece;
}
