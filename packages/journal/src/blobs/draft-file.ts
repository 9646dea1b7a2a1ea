import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DiskFullError } from "../errors.ts";

/** Content as it comes, on the disk and never whole in memory; disposing of it removes what is still there. */
export class DraftFile implements AsyncDisposable {
  readonly path: string;
  readonly file: FileHandle;
  readonly #hash = createHash("sha256");
  #size = 0;
  #digest = "";

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.file = file;
  }

  /** Writes all that comes to a new file in the folder; if it breaks off, nothing stays. */
  static async write(
    folder: string,
    content: AsyncIterable<Uint8Array>,
    { isNameless = false }: { readonly isNameless?: boolean } = {},
  ): Promise<DraftFile> {
    const path = join(folder, randomUUID());
    try {
      await mkdir(folder, { recursive: true });
      const draft = new DraftFile(path, await open(path, "wx+", 0o600));
      try {
        // A file without a name is gone with its process, however that ends.
        if (isNameless) await rm(path, { force: true });
        await draft.#take(content);
        return draft;
      } catch (error) {
        await draft[Symbol.asyncDispose]();
        throw error;
      }
    } catch (error) {
      if (hasCode(error, "ENOSPC", "EDQUOT")) throw new DiskFullError(path, error);
      throw error;
    }
  }

  /** SHA-256 of the content, in hex. */
  get hash(): string {
    return this.#digest;
  }

  get size(): number {
    return this.#size;
  }

  async content(): Promise<Buffer> {
    const content = Buffer.alloc(this.#size);
    await this.file.read(content, 0, this.#size, 0);
    return content;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }

  async #take(content: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of content) {
      this.#hash.update(piece);
      this.#size += piece.byteLength;
      await this.file.appendFile(piece);
    }
    this.#digest = this.#hash.digest("hex");
  }
}

/** Whether the system gave one of these codes as the reason. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
