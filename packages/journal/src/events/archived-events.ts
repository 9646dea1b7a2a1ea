import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { BlobStore } from "../blobs/blob-store.ts";
import { LruMap } from "../lru-map.ts";
import { RecordedEvent } from "./recorded-event.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const LINE_BREAK = 0x0a;
const PAGE_CHARACTERS = 4 * 1_048_576;

/** Archived events: one gzipped blob a stream, a line of JSON an event, kept whole by the blob's hash. */
export class ArchivedEvents {
  readonly #blobs: BlobStore;
  readonly #recent = new LruMap<string, Promise<readonly RecordedEvent[]>>(4);

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /** Stores the events durably and returns the hash that leads to them. */
  async write(stream: string, events: readonly RecordedEvent[]): Promise<string> {
    // The key makes each archive a blob of its own: deleting one never removes another.
    const lines = [Buffer.from(`${JSON.stringify({ stream, key: randomUUID() })}\n`)];
    for (const { index, at, json } of events) lines.push(Buffer.from(`[${index},${at},${json}]\n`));
    const { hash } = await this.#blobs.put(await compress(Buffer.concat(lines)), "application/gzip");
    return hash;
  }

  /** Stores what an archive has after the index anew; undefined if that is nothing. */
  async without(stream: string, hash: string | undefined, through: number): Promise<string | undefined> {
    const kept = hash ? (await this.#all(hash)).filter(({ index }) => index > through) : [];
    return kept.length > 0 ? this.write(stream, kept) : undefined;
  }

  /** The archived events after the index, up to the limit, fewer if they are large. */
  async page(hash: string, after: number, limit: number): Promise<readonly RecordedEvent[]> {
    const events = await this.#all(hash);
    const start = Math.max(0, after + 1 - (events[0]?.index ?? 0));
    let end = start;
    for (
      let characters = 0;
      end < events.length && end < start + limit && characters < PAGE_CHARACTERS;
      end++
    ) {
      characters += events[end]?.json.length ?? 0;
    }
    return events.slice(start, end);
  }

  async delete(hash: string): Promise<void> {
    this.#recent.delete(hash);
    await this.#blobs.delete(hash);
  }

  // Concurrent readers share one unpacking; a failed one is not cached.
  #all(hash: string): Promise<readonly RecordedEvent[]> {
    let events = this.#recent.get(hash);
    if (!events) {
      events = this.#unpack(hash);
      this.#recent.set(hash, events);
      events.catch(() => this.#recent.delete(hash));
    }
    return events;
  }

  async #unpack(hash: string): Promise<readonly RecordedEvent[]> {
    const content = await decompress(await this.#blobs.get(hash));
    const events: RecordedEvent[] = [];
    // Line by line, because a large archive exceeds the longest string.
    for (let start = content.indexOf(LINE_BREAK) + 1; start < content.length; ) {
      const end = content.indexOf(LINE_BREAK, start);
      events.push(parseLine(content.toString("utf8", start, end)));
      start = end + 1;
    }
    return events;
  }
}

// The payload is sliced out, not parsed and serialized again: replay is exact to the byte.
function parseLine(line: string): RecordedEvent {
  const afterIndex = line.indexOf(",");
  const afterTime = line.indexOf(",", afterIndex + 1);
  const index = Number(line.slice(1, afterIndex));
  const at = Number(line.slice(afterIndex + 1, afterTime));
  return new RecordedEvent(index, at, line.slice(afterTime + 1, -1));
}
