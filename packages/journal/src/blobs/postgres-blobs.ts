import type { SqlDatabase } from "../sql-database.ts";
import {
  type BlobReference,
  checkHash,
  type IncomingBlob,
  intact,
  type ReceivingBlobStore,
  referenceTo,
} from "./blob-store.ts";
import { DraftFile } from "./draft-file.ts";

/** Blobs as rows of a table, for all nodes. */
export class PostgresBlobs implements ReceivingBlobStore {
  readonly #database: SqlDatabase;
  readonly #incoming: string;

  /** `incoming`: a folder of this machine's, for what is not whole yet. */
  constructor(database: SqlDatabase, incoming: string) {
    this.#database = database;
    this.#incoming = incoming;
  }

  async receive(content: AsyncIterable<Uint8Array>): Promise<IncomingBlob> {
    // Nodes may share the folder: none could tell what another that was killed has left there.
    const draft = await DraftFile.write(this.#incoming, content, { isNameless: true });
    const { hash, size } = draft;
    return {
      ...{ hash, size, [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose]() },
      keep: async (mediaType) => this.put(await draft.content(), mediaType),
    };
  }

  async put(content: Uint8Array, mediaType: string): Promise<BlobReference> {
    const reference = referenceTo(content, mediaType);
    const sql = "INSERT INTO blobs (hash, content) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    await this.#database.query(sql, [reference.hash, content]);
    return reference;
  }

  async get(hash: string): Promise<Uint8Array> {
    checkHash(hash);
    const sql = "SELECT content FROM blobs WHERE hash = $1";
    const [row] = await this.#database.query<{ content: Uint8Array }>(sql, [hash]);
    return intact(hash, row?.content);
  }

  async delete(hash: string): Promise<void> {
    checkHash(hash);
    await this.#database.query("DELETE FROM blobs WHERE hash = $1", [hash]);
  }
}
