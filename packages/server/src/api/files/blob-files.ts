import { createHash } from "node:crypto";
import { type Journal, UnknownStreamError } from "@parley/journal";
import { CommandRefusedError, type Principal, type StoredFile } from "@parley/sessions";
import type { Files, UploadedFile } from "../api-ports.ts";

/** Files as blobs of the journal. A stream for each says whose it is and how it is called: a hash alone opens nothing. */
export class BlobFiles implements Files {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async put(principal: Principal, { name, mediaType, content }: UploadedFile): Promise<StoredFile> {
    const { hash, size } = await this.#journal.blobs.put(content, mediaType);
    const file: StoredFile = { name, mediaType, size, blob: hash };
    await this.#journal.append(streamOf(principal, hash), [file], { urgent: true });
    return file;
  }

  async describe(principal: Principal, blob: string): Promise<StoredFile> {
    const stream = streamOf(principal, blob);
    try {
      const [newest] = await this.#journal.read<StoredFile>(
        stream,
        (await this.#journal.head(stream)) - 1,
        1,
      );
      if (newest) return newest.payload;
    } catch (error) {
      if (!(error instanceof UnknownStreamError)) throw error;
    }
    throw new CommandRefusedError("not_found", "There is no such file");
  }

  async content(principal: Principal, blob: string): Promise<Uint8Array> {
    await this.describe(principal, blob);
    return this.#journal.blobs.get(blob);
  }
}

function streamOf({ workspace, owner }: Principal, blob: string): string {
  return `file/${createHash("sha256")
    .update(JSON.stringify([workspace, owner, blob]))
    .digest("hex")}`;
}
