import { type FileHandle, open, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 200;
const CHUNK_BYTES = 65_536;

/** Reads a rotated log: files from oldest to newest, of which the last one grows and is replaced on rotation. */
export class LogFiles {
  readonly #older: readonly string[];
  readonly #newest: string;
  #current: GrowingFile | undefined;

  constructor(files: readonly string[]) {
    this.#older = files.slice(0, -1);
    this.#newest = files.at(-1) ?? "";
  }

  /** All existing lines. */
  async *history(): AsyncGenerator<string> {
    for (const path of this.#older) {
      const file = await GrowingFile.open(path);
      if (file) yield* file.lines();
      await file?.close();
    }
    this.#current = await GrowingFile.open(this.#newest);
    if (this.#current) yield* this.#current.lines();
  }

  /** The lines that are appended after the history, until the signal. */
  async *appended(signal: AbortSignal): AsyncGenerator<string> {
    for (;;) {
      const replaced = await this.#isReplaced();
      if (this.#current) yield* this.#current.lines();
      if (replaced) {
        await this.close();
        this.#current = await GrowingFile.open(this.#newest);
      } else await sleep(POLL_MS, undefined, { signal });
    }
  }

  async close(): Promise<void> {
    await this.#current?.close();
    this.#current = undefined;
  }

  async #isReplaced(): Promise<boolean> {
    const now = await stat(this.#newest).catch(() => undefined);
    return now !== undefined && now.ino !== this.#current?.inode;
  }
}

/** A file that is read to its end, and later from there. */
class GrowingFile {
  readonly inode: number;
  readonly #handle: FileHandle;
  readonly #decoder = new StringDecoder("utf8");
  #partial = "";

  private constructor(handle: FileHandle, inode: number) {
    this.#handle = handle;
    this.inode = inode;
  }

  static async open(path: string): Promise<GrowingFile | undefined> {
    try {
      const handle = await open(path, "r");
      return new GrowingFile(handle, (await handle.stat()).ino);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Complete lines that have not been read yet. */
  async *lines(): AsyncGenerator<string> {
    for (;;) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(CHUNK_BYTES));
      if (bytesRead === 0) return;
      const lines = (this.#partial + this.#decoder.write(buffer.subarray(0, bytesRead))).split("\n");
      this.#partial = lines.pop() ?? "";
      yield* lines;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
