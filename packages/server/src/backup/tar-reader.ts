import { readPaxRecords, readTarHeader, TAR_BLOCK, type TarEntry, tarPadding } from "./tar-header.ts";

const LARGEST_PAX = 65_536;

/** A file in an archive; its content must be read before the next file is requested. */
export interface TarFile extends TarEntry {
  readonly content: AsyncIterable<Buffer>;
}

/** The bytes are not an archive, or are truncated. */
export class TarError extends Error {}

/** Yields the files of an archive in order; throws `TarError` if it is invalid or truncated. */
export async function* tarFiles(bytes: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const source = new ByteSource(bytes);
  let pax: ReturnType<typeof readPaxRecords> = {};
  for (;;) {
    const block = await source.take(TAR_BLOCK);
    // The rest is read too, because the compression's checksum is at its end.
    if (block.every((byte) => byte === 0)) return source.drain();
    const header = readTarHeader(block);
    if (!header) throw new TarError("it is damaged, or no archive");
    if (header.type === "x") {
      if (header.size > LARGEST_PAX) throw new TarError("a name in it is too long");
      pax = readPaxRecords(await source.take(header.size));
      await source.take(tarPadding(header.size));
      continue;
    }
    if (header.type !== "0") throw new TarError(`it holds something that is no file: ${header.path}`);
    const { path, size, mode } = { ...header, ...pax };
    pax = {};
    const content = source.pieces(size);
    yield { path, size, mode, content };
    for await (const _ of content) throw new TarError(`${path} was not read to its end`);
    await source.take(tarPadding(size));
  }
}

class ByteSource {
  readonly #bytes: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) await this.#fill();
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async drain(): Promise<void> {
    while (!(await this.#bytes.next()).done);
  }

  async #fill(): Promise<void> {
    const { done, value } = await this.#bytes.next();
    if (done) throw new TarError("it ends too early");
    this.#rest = value;
  }
}
