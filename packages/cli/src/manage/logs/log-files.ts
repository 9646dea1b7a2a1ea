import { type FileHandle, open, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 200;
const PIECE = 65_536;

/** The lines of files that follow each other, the oldest first, of which the last one grows and is at times begun anew. */
export class LogFiles {
  readonly #older: readonly string[];
  readonly #newest: string;
  #current: GrowingFile | undefined;

  constructor(files: readonly string[]) {
    this.#older = files.slice(0, -1);
    this.#newest = files.at(-1) ?? "";
  }

  /** All lines that are there. */
  async *history(): AsyncGenerator<string> {
    for (const path of this.#older) {
      const file = await GrowingFile.open(path);
      if (file) yield* file.lines();
      await file?.close();
    }
    this.#current = await GrowingFile.open(this.#newest);
    if (this.#current) yield* this.#current.lines();
  }

  /** The lines that come after the history, until the signal. */
  async *appended(signal: AbortSignal): AsyncGenerator<string> {
    for (;;) {
      const replaced = await this.#isReplaced();
      if (this.#current) yield* this.#current.lines();
      if (replaced) {
        await this.close();
        this.#current = await GrowingFile.open(this.#newest);
      } else await sleep(LOOK_EVERY_MS, undefined, { signal });
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

/** A file that is read to its end, and later on from there. */
class GrowingFile {
  readonly inode: number;
  readonly #handle: FileHandle;
  readonly #decoder = new StringDecoder("utf8");
  #half = "";

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

  /** Whole lines that have not been read yet; the beginning of one waits for its end. */
  async *lines(): AsyncGenerator<string> {
    for (;;) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(PIECE));
      if (bytesRead === 0) return;
      const lines = (this.#half + this.#decoder.write(buffer.subarray(0, bytesRead))).split("\n");
      this.#half = lines.pop() ?? "";
      yield* lines;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
