import type { SqlDatabase } from "../sql-database.ts";
import { type BlobReference, type BlobStore, checkHash, intact, referenceTo } from "./blob-store.ts";

/** Blobs as rows of a table, for all nodes. */
export class PostgresBlobs implements BlobStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
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
