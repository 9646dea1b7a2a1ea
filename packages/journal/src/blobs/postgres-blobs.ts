import { BlobMissingError } from "../errors.ts";
import type { SqlDatabase } from "../sql-database.ts";
import {
  type BlobReference,
  CheckedBlobs,
  type IncomingBlob,
  type ReceivingBlobStore,
} from "./blob-store.ts";
import { onDisk, writeDraft } from "./draft-file.ts";

/** A row is read in pieces of this size; the database unpacks the row for each. */
const PIECE_BYTES = 2_097_152;

/** Blobs as rows of a table, for all nodes. */
export class PostgresBlobs extends CheckedBlobs implements ReceivingBlobStore {
  readonly #database: SqlDatabase;
  readonly #incoming: string;

  /** `incoming`: a local folder for incomplete uploads. */
  constructor(database: SqlDatabase, incoming: string) {
    super();
    this.#database = database;
    this.#incoming = incoming;
  }

  async receive(content: AsyncIterable<Uint8Array>): Promise<IncomingBlob> {
    // Nodes may share the folder, so none could remove what a killed one has left there.
    const draft = await onDisk(this.#incoming, writeDraft(this.#incoming, content, { isNameless: true }));
    const keep = async (mediaType: string) => {
      const whole = Buffer.alloc(draft.size);
      await draft.file.read(whole, 0, draft.size, 0);
      return this.put(whole, mediaType);
    };
    return { ...draft, keep };
  }

  protected async store(content: Uint8Array, { hash }: BlobReference): Promise<void> {
    const sql = "INSERT INTO blobs (hash, content) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    await this.#database.query(sql, [hash, content]);
  }

  protected async find(hash: string): Promise<Uint8Array | undefined> {
    const sql = "SELECT content FROM blobs WHERE hash = $1";
    const [row] = await this.#database.query<{ content: Uint8Array }>(sql, [hash]);
    return row?.content;
  }

  protected override async *pieces(hash: string): AsyncGenerator<Uint8Array, void> {
    const sql = "SELECT substring(content FROM $2 FOR $3) AS content FROM blobs WHERE hash = $1";
    for (let from = 1; ; from += PIECE_BYTES) {
      const [row] = await this.#database.query<{ content: Uint8Array }>(sql, [hash, from, PIECE_BYTES]);
      if (!row) throw new BlobMissingError(hash, "missing");
      if (row.content.byteLength > 0) yield row.content;
      if (row.content.byteLength < PIECE_BYTES) return;
    }
  }

  protected async remove(hash: string): Promise<void> {
    await this.#database.query("DELETE FROM blobs WHERE hash = $1", [hash]);
  }
}
