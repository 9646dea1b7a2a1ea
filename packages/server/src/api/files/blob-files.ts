import { createHash } from "node:crypto";
import type { NamedKey, UploadedFile } from "@parley/adapters";
import {
  eventsAfter,
  IndexConflictError,
  type Journal,
  type StreamAppend,
  UnknownStreamError,
} from "@parley/journal";
import {
  type Admit,
  CommandRefusedError,
  KeyReusedError,
  type Principal,
  type StoredFile,
} from "@parley/sessions";
import type { IncomingFile } from "../api-ports.ts";

/** An upload with an idempotency key. */
interface KeyedFile {
  readonly hash: string;
  readonly file: StoredFile;
}

/** Stores files as blobs of the journal. A stream per file and owner holds its name: knowing a hash gives no access. */
export class BlobFiles {
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

  /** Stores an upload as it comes; nothing is left of one that breaks off. Throws `KeyReusedError` where the key belongs to another file. */
  async receive(
    principal: Principal,
    { name, mediaType, declared, content, keyOf }: IncomingFile,
  ): Promise<StoredFile> {
    using places = new DisposableStack();
    const reserve = async (bytes: number) =>
      void places.use(await this.#admit?.(principal, { bytes, sessions: 0, runs: 0 }));
    await reserve(declared);
    await using incoming = await this.#journal.blobs.receive(reserving(content, declared, reserve));
    const key = keyOf(incoming.hash);
    const before = key && (await this.#uploadedWith(key));
    if (before) return before;
    const { hash, size } = await incoming.keep(mediaType);
    const file: StoredFile = { name, mediaType, size, blob: hash };
    const kept: KeyedFile | undefined = key && { hash: key.hash, file };
    const upload = key ? [{ stream: uploadStream(key), events: [kept], expected: 0 }] : [];
    try {
      await this.#journal.appendAll([naming(principal, file), ...upload], { urgent: true });
      return file;
    } catch (error) {
      const quicker = key && error instanceof IndexConflictError && (await this.#uploadedWith(key));
      if (quicker) return quicker;
      throw error;
    }
  }

  /** Makes an existing blob a file of the principal. */
  async name({ owner, workspace }: Principal, file: StoredFile): Promise<void> {
    await this.#journal.appendAll([naming({ owner, workspace }, file)]);
  }

  /** Throws `CommandRefusedError` where the principal has no such file. */
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

  /** The content in pieces. */
  async *read(principal: Principal, blob: string): AsyncGenerator<Uint8Array, void> {
    await this.describe(principal, blob);
    yield* this.#journal.blobs.read(blob);
  }

  async #uploadedWith(key: NamedKey): Promise<StoredFile | undefined> {
    const [kept] = await eventsAfter<KeyedFile>(this.#journal, uploadStream(key), 0, 1);
    if (kept && kept.payload.hash !== key.hash) throw new KeyReusedError();
    return kept?.payload.file;
  }
}

/** Passes the content on, and reserves quota for what exceeds the declared size. */
async function* reserving(
  content: AsyncIterable<Uint8Array>,
  reserved: number,
  reserve: (bytes: number) => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  let left = reserved;
  for await (const piece of content) {
    left -= piece.byteLength;
    if (left < 0) await reserve(-left);
    left = Math.max(0, left);
    yield piece;
  }
}

function uploadStream({ name }: NamedKey): string {
  return `upload/${name}`;
}

/** The event that names a file; the usage table reads its owner. */
function naming({ owner, workspace }: Principal, file: StoredFile): StreamAppend {
  return { stream: streamOf({ owner, workspace }, file.blob), events: [{ ...file, owner, workspace }] };
}

function streamOf({ workspace, owner }: Principal, blob: string): string {
  return `file/${createHash("sha256")
    .update(JSON.stringify([workspace, owner, blob]))
    .digest("hex")}`;
}
