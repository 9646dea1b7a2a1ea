import { appendFileSync } from "node:fs";
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DestinationStream } from "pino";
import { type DataPlace, nodeFile } from "../data-place.ts";

const MAX_WAITING_BYTES = 1_000_000;
const OWNER_ONLY = 0o600;

export interface LogFileOptions {
  /** The size at which the file is rotated. */
  readonly fileBytes?: number;
  /** How many files are kept, including the current one. */
  readonly files?: number;
}

/** The data folder, and node if several share it, that a log belongs to. */
export type LogPlace = Pick<DataPlace, "dataFolder" | "node">;

/** The log files of a data folder, oldest first; any of them may be missing. */
export function logFilesOf(place: LogPlace, files = 3): readonly string[] {
  const newest = join(place.dataFolder, "logs", nodeFile(place, "parley", "log"));
  return Array.from({ length: files }, (_, age) => (age === 0 ? newest : `${newest}.${age}`)).reverse();
}

/**
 * Writes log lines to files of bounded size, asynchronously. If the disk is full or missing, lines are dropped, which
 * are counted. The file is created with the first line, so a refused start changes nothing.
 */
export class LogFile implements DestinationStream {
  readonly #paths: readonly string[];
  readonly #fileBytes: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #file: { readonly handle: FileHandle; bytes: number } | undefined;
  #draining: Promise<void> | undefined;
  #isClosed = false;

  constructor(place: LogPlace, { fileBytes = 10_000_000, files = 3 }: LogFileOptions = {}) {
    this.#paths = logFilesOf(place, files).toReversed();
    this.#fileBytes = fileBytes;
  }

  write(line: string): void {
    if (this.#isClosed) this.#writeNow(line);
    else if (this.#waitingBytes > MAX_WAITING_BYTES) this.#lost += 1;
    else this.#enqueue(line);
  }

  /** Flushes pending lines; later lines are written synchronously. */
  async close(): Promise<void> {
    await this.#draining;
    this.#isClosed = true;
    await this.#file?.handle.close().catch(() => {});
  }

  #enqueue(line: string): void {
    this.#waiting.push(line);
    this.#waitingBytes += Buffer.byteLength(line);
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      await this.#append(lines);
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const lost = this.#lost;
    const text = Buffer.from([...(lost > 0 ? [lostLine(lost)] : []), ...lines].join(""));
    try {
      const file = await this.#fileFor(text.length);
      await file.handle.appendFile(text);
      file.bytes += text.length;
      this.#lost -= lost;
    } catch {
      // Standard error has the same lines; the number of dropped lines is logged once writing works again.
      this.#lost += lines.length;
      await this.#file?.handle.close().catch(() => {});
      this.#file = undefined;
    }
  }

  async #fileFor(bytes: number): Promise<{ readonly handle: FileHandle; bytes: number }> {
    const file = this.#file ?? (await openToAppend(this.#newest));
    this.#file = file;
    if (file.bytes === 0 || file.bytes + bytes <= this.#fileBytes) return file;
    this.#file = undefined;
    await file.handle.close();
    await this.#rotate();
    return this.#fileFor(bytes);
  }

  async #rotate(): Promise<void> {
    for (let age = this.#paths.length - 1; age > 0; age--)
      await rename(this.#paths[age - 1] ?? "", this.#paths[age] ?? "").catch(unlessMissing);
  }

  get #newest(): string {
    return this.#paths[0] ?? "";
  }

  #writeNow(line: string): void {
    try {
      appendFileSync(this.#newest, line, { mode: OWNER_ONLY });
    } catch {
      // As above, and the process is about to exit.
    }
  }
}

// Not `recursive`: without a data folder there is no log file.
async function openToAppend(path: string): Promise<{ readonly handle: FileHandle; bytes: number }> {
  await mkdir(dirname(path), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const handle = await open(path, "a", OWNER_ONLY);
  return { handle, bytes: (await handle.stat()).size };
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

// A failed write may have ended within a line.
function lostLine(lines: number): string {
  const time = new Date().toISOString();
  return `\n${JSON.stringify({ level: "warn", time, service: "parley", lines, msg: "log lines could not be kept" })}\n`;
}
