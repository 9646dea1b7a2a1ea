import { StringDecoder } from "node:string_decoder";

/** Lines as JSON is sent in them: a newline alone ends one, whereas `readline` also ends it at U+2028, which JSON may contain. */
export async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  for await (const chunk of input) {
    const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
    const [first = "", ...others] = text.split("\n");
    pieces.push(first);
    for (const other of others) {
      yield pieces.join("");
      pieces = [other];
    }
  }
  yield pieces.join("");
}
