import { createHash } from "node:crypto";
import { IndexConflictError, type Journal, type StreamAppend, UnknownStreamError } from "@parley/journal";
import {
  type Admit,
  CommandRefusedError,
  KeyReusedError,
  type Principal,
  type StoredFile,
} from "@parley/sessions";
import type { Files, IncomingFile, UploadedFile } from "../api-ports.ts";
import type { NamedKey } from "../command-ids.ts";

/** A file that came under a key. */
interface KeyedFile {
  readonly hash: string;
  readonly file: StoredFile;
}

/** Files as blobs of the journal. A stream for each says whose it is and how it is called: a hash alone opens nothing. */
export class BlobFiles implements Files {
  readonly #journal: Journal;
  readonly #admit: Admit | undefined;

  constructor(journal: Journal, admit?: Admit) {
    this.#journal = journal;
    this.#admit = admit;
  }

  async put(principal: Principal, { name, mediaType, content }: UploadedFile): Promise<StoredFile> {
    using _ = await this.#admit?.(principal, { bytes: content.byteLength, sessions: 0, runs: 0 });
    const { hash, size } = await this.#journal.blobs.put(content, mediaType);
    const file: StoredFile = { name, mediaType, size, blob: hash };
    await this.#journal.appendAll([naming(principal, file)], { urgent: true });
    return file;
  }

  async receive(
    principal: Principal,
    { name, mediaType, most, content, keyOf }: IncomingFile,
  ): Promise<StoredFile> {
    using _ = await this.#admit?.(principal, { bytes: most, sessions: 0, runs: 0 });
    await using incoming = await this.#journal.blobs.receive(content);
    const key = keyOf(incoming.hash);
    const before = key && (await this.#keptUnder(key));
    if (before) return before;
    const { hash, size } = await incoming.keep(mediaType);
    const file: StoredFile = { name, mediaType, size, blob: hash };
    const kept: KeyedFile | undefined = key && { hash: key.hash, file };
    const upload = key ? [{ stream: uploadStream(key), events: [kept], expected: 0 }] : [];
    try {
      await this.#journal.appendAll([naming(principal, file), ...upload], { urgent: true });
      return file;
    } catch (error) {
      const quicker = key && error instanceof IndexConflictError && (await this.#keptUnder(key));
      if (quicker) return quicker;
      throw error;
    }
  }

  /** A blob that is here already is a file of the principal's from now on. */
  async name({ owner, workspace }: Principal, file: StoredFile): Promise<void> {
    await this.#journal.appendAll([naming({ owner, workspace }, file)]);
  }

  async describe(principal: Principal, named: string): Promise<StoredFile> {
    const stream = streamOf(principal, named);
    try {
      const [newest] = await this.#journal.read<StoredFile>(
        stream,
        (await this.#journal.head(stream)) - 1,
        1,
      );
      if (newest) {
        const { name, mediaType, size, blob } = newest.payload;
        return { name, mediaType, size, blob };
      }
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

/** With whose it is, for what counts it. */
function naming({ owner, workspace }: Principal, file: StoredFile): StreamAppend {
  return { stream: streamOf({ owner, workspace }, file.blob), events: [{ ...file, owner, workspace }] };
}

function streamOf({ workspace, owner }: Principal, blob: string): string {
  return `file/${createHash("sha256")
    .update(JSON.stringify([workspace, owner, blob]))
    .digest("hex")}`;
}
