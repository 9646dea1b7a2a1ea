/**
 * A fetch whose streams of chat completions say in one frame what arrived together: the provider's package checks each
 * frame against a schema, which costs more than all that we do with the token in it. What comes alone passes as it is.
 */
export function joiningDeltas(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (!isStream || !response.body) return response;
    return new Response(response.body.pipeThrough(joinedFrames()), response);
  };
}

function joinedFrames(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let begun = "";
  return new TransformStream({
    transform(bytes, controller) {
      const text = begun + decoder.decode(bytes, { stream: true });
      const end = text.lastIndexOf("\n\n") + 2;
      begun = end === 1 ? text : text.slice(end);
      if (end > 1) controller.enqueue(encoder.encode(joined(text.slice(0, end))));
    },
    flush(controller) {
      const rest = begun + decoder.decode();
      if (rest !== "") controller.enqueue(encoder.encode(rest));
    },
  });
}

/** The text that a frame is a piece of, as JSON writes it: its pieces put together are the whole as JSON writes it. */
const PIECE = /"(?:content|reasoning_content|reasoning|arguments)":"((?:[^"\\]|\\.)+)"/;

/** Whole frames, with neighbours as one where they differ in nothing but the next piece of the same text. */
export function joined(frames: string): string {
  let written = "";
  let open: Piece | undefined;
  for (const frame of frames.split(/(?<=\n\n)/)) {
    const piece = pieceOf(frame);
    const goesOn = open && piece?.before === open.before && piece.after === open.after;
    if (open && !goesOn) written += open.after;
    if (!piece) written += frame;
    else written += goesOn ? piece.text : piece.before + piece.text;
    open = piece;
  }
  return written + (open?.after ?? "");
}

/** A frame around the text that it is a piece of. */
interface Piece {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

function pieceOf(frame: string): Piece | undefined {
  const found = PIECE.exec(frame);
  if (!found) return undefined;
  const [{ length }, text = ""] = found;
  const start = found.index + length - 1 - text.length;
  const [before, after] = [frame.slice(0, start), frame.slice(start + text.length)];
  // A second piece would be lost, and a call that says its name may be one of its own.
  const isAlone = !PIECE.test(after) && !/"name":"/.test(before) && !/"name":"/.test(after);
  return isAlone ? { before, text, after } : undefined;
}
