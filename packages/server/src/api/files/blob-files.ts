import { createHash } from "node:crypto";
import { IndexConflictError, type Journal, UnknownStreamError } from "@parley/journal";
import { CommandRefusedError, KeyReusedError, type Principal, type StoredFile } from "@parley/sessions";
import type { Files, UploadedFile } from "../api-ports.ts";
import type { NamedKey } from "../command-ids.ts";

/** A file that came under a key. */
interface KeyedFile {
  readonly hash: string;
  readonly file: StoredFile;
}

/** Files as blobs of the journal. A stream for each says whose it is and how it is called: a hash alone opens nothing. */
export class BlobFiles implements Files {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async put(
    principal: Principal,
    { name, mediaType, content }: UploadedFile,
    key?: NamedKey,
  ): Promise<StoredFile> {
    const before = key && (await this.#keptUnder(key));
    if (before) return before;
    const { hash, size } = await this.#journal.blobs.put(content, mediaType);
    const file: StoredFile = { name, mediaType, size, blob: hash };
    const named = { stream: streamOf(principal, hash), events: [file] };
    if (!key) {
      await this.#journal.append(named.stream, named.events, { urgent: true });
      return file;
    }
    const kept: KeyedFile = { hash: key.hash, file };
    try {
      const upload = { stream: uploadStream(key), events: [kept], expected: 0 };
      await this.#journal.appendAll([named, upload], { urgent: true });
      return file;
    } catch (error) {
      const quicker = error instanceof IndexConflictError && (await this.#keptUnder(key));
      if (quicker) return quicker;
      throw error;
    }
  }

  /** A blob that is here already is a file of the principal's from now on. */
  async name({ owner, workspace }: Principal, file: StoredFile): Promise<void> {
    await this.#journal.append(streamOf({ owner, workspace }, file.blob), [file]);
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

  async #keptUnder(key: NamedKey): Promise<StoredFile | undefined> {
    try {
      const [kept] = await this.#journal.read<KeyedFile>(uploadStream(key), 0, 1);
      if (kept && kept.payload.hash !== key.hash) throw new KeyReusedError();
      return kept?.payload.file;
    } catch (error) {
      if (error instanceof UnknownStreamError) return undefined;
      throw error;
    }
  }
}

function uploadStream({ name }: NamedKey): string {
  return `upload/${name}`;
}

function streamOf({ workspace, owner }: Principal, blob: string): string {
  return `file/${createHash("sha256")
    .update(JSON.stringify([workspace, owner, blob]))
    .digest("hex")}`;
}
