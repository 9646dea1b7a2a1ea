import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { BlobStore } from "./blobs/blob-store.ts";
import { LruMap } from "./lru-map.ts";
import { RecordedEvent } from "./recorded-event.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Archived events: one gzipped blob a stream, a line of JSON an event, kept whole by the blob's hash. */
export class ArchivedEvents {
  readonly #blobs: BlobStore;
  readonly #recent = new LruMap<string, readonly RecordedEvent[]>(4);

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /** Stores the events durably and returns the hash that leads to them. */
  async write(stream: string, events: readonly RecordedEvent[]): Promise<string> {
    const lines = events.map(({ index, at, json }) => `[${index},${at},${json}]`);
    // The name makes the content this stream's own, so that deleting it harms no other.
    const content = await compress([JSON.stringify({ stream }), ...lines].join("\n"));
    const { hash } = await this.#blobs.put(content, "application/gzip");
    return hash;
  }

  /** The archived events after the index. */
  async page(hash: string, after: number, limit: number): Promise<readonly RecordedEvent[]> {
    const events = await this.all(hash);
    const start = events.findIndex((event) => event.index > after);
    return start < 0 ? [] : events.slice(start, start + limit);
  }

  async all(hash: string): Promise<readonly RecordedEvent[]> {
    const known = this.#recent.get(hash);
    if (known) return known;
    const [, ...lines] = (await decompress(await this.#blobs.get(hash))).toString().split("\n");
    const events = lines.map(parseLine);
    this.#recent.set(hash, events);
    return events;
  }

  async delete(hash: string): Promise<void> {
    this.#recent.delete(hash);
    await this.#blobs.delete(hash);
  }
}

// The payload is cut out, not parsed and written again: replay is exact to the byte.
function parseLine(line: string): RecordedEvent {
  const afterIndex = line.indexOf(",");
  const afterTime = line.indexOf(",", afterIndex + 1);
  const index = Number(line.slice(1, afterIndex));
  const at = Number(line.slice(afterIndex + 1, afterTime));
  return new RecordedEvent(index, at, line.slice(afterTime + 1, -1));
}
