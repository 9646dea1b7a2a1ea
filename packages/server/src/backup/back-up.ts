import { createHash } from "node:crypto";
import { createWriteStream, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { copySqliteJournal } from "@parley/journal";
import manifestOfServer from "../../package.json" with { type: "json" };
import type { DataPlace } from "../data-place.ts";
import { BackupError, explainedAs } from "./backup-errors.ts";
import { type BackupManifest, DATA, MANIFEST } from "./backup-manifest.ts";
import { type DataFile, dataFiles } from "./data-files.ts";
import { type BackupSeal, sealed } from "./sealed-backup.ts";
import { tarHeader, tarPadding } from "./tar-header.ts";

const PIECE = 1 << 20;

/** Receives a progress message, often. */
export type BackupProgress = (text: string) => void;

export interface BackupOptions {
  readonly progress?: BackupProgress;
  /** Aborts the backup and removes what it has written. */
  readonly signal?: AbortSignal;
  /** Without encryption, anyone with the file can read it. */
  readonly seal?: BackupSeal | undefined;
}

/** The result of a backup. */
export interface MadeBackup {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: BackupManifest;
}

/** Copies a data folder into one file, even while a server uses it; throws `BackupError`. */
export async function backUp(
  { dataFolder, databaseUrl }: DataPlace,
  file: string,
  { progress = () => {}, signal, seal }: BackupOptions = {},
): Promise<MadeBackup> {
  if (!statSync(dataFolder, { throwIfNoEntry: false })?.isDirectory())
    throw new BackupError(`There is no data folder ${dataFolder}: name it with --data FOLDER`);
  if (!relative(dataFolder, file).startsWith(".."))
    throw new BackupError(`A backup inside of ${dataFolder} would be lost with it: choose another place`);
  if (statSync(file, { throwIfNoEntry: false }))
    throw new BackupError(`${file} is there already: choose another name`);
  try {
    // Beside the backup, where there is enough space, and readable by the owner only.
    const workshop = mkdtempSync(join(dirname(file), ".parley-backup-"));
    try {
      const copy = new FolderCopy(dataFolder, { workshop, progress, isPostgres: databaseUrl !== undefined });
      const draft = join(workshop, "backup.tar.gz");
      await pipeline(
        Readable.from(copy.archive()),
        createGzip({ level: 4 }),
        async function* (bytes: AsyncIterable<Buffer>) {
          yield* seal ? sealed(bytes, seal) : bytes;
        },
        createWriteStream(draft, { mode: 0o600, flush: true }),
        { ...(signal && { signal }) },
      );
      renameSync(draft, file);
      return { file, bytes: statSync(file).size, manifest: copy.manifest() };
    } finally {
      rmSync(workshop, { recursive: true, force: true });
    }
  } catch (error) {
    throw explainedAs(error, `${basename(file)} could not be written`);
  }
}

interface CopyOptions {
  /** A folder for temporary copies. */
  readonly workshop: string;
  readonly progress: BackupProgress;
  readonly isPostgres: boolean;
}

class FolderCopy {
  readonly #folder: string;
  readonly #options: CopyOptions;
  readonly #at = new Date();
  readonly #done = new Map<string, BackupManifest["files"][number]>();
  #hasJournal = false;

  constructor(folder: string, options: CopyOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  manifest(): BackupManifest {
    const { isPostgres } = this.#options;
    return {
      ...{ format: "parley-backup-1", parley: manifestOfServer.version, madeAt: this.#at.toISOString() },
      journal: isPostgres ? "postgres" : this.#hasJournal ? "sqlite" : "none",
      files: [...this.#done.values()],
    };
  }

  /**
   * Blobs are written before the events that name them, and removed after: the blobs listed before the journals are copied,
   * and those added until then, are all that the copies can name.
   */
  async *archive(): AsyncGenerator<Buffer> {
    const before = dataFiles(this.#folder);
    yield* this.#files(before.filter(({ isJournal }) => !isJournal));
    for (const journal of before.filter(({ isJournal }) => isJournal)) yield* this.#journal(journal);
    const come = dataFiles(this.#folder).filter(({ path, isJournal }) => !isJournal && !this.#done.has(path));
    yield* this.#files(come);
    const manifest = Buffer.from(`${JSON.stringify(this.manifest(), undefined, 2)}\n`);
    yield tarHeader({ path: MANIFEST, size: manifest.length, mode: 0o600 }, this.#at);
    yield Buffer.concat([manifest, Buffer.alloc(tarPadding(manifest.length) + 1_024)]);
  }

  async *#files(files: readonly DataFile[]): AsyncGenerator<Buffer> {
    for (const [n, { path }] of files.entries()) {
      this.#options.progress(`file ${n + 1} of ${files.length}`);
      yield* this.#file(path, join(this.#folder, path));
    }
  }

  async *#journal({ path }: DataFile): AsyncGenerator<Buffer> {
    const { workshop, progress } = this.#options;
    const copy = join(workshop, "journal.db");
    progress(path);
    await copySqliteJournal(join(this.#folder, path), copy, (done, total) =>
      progress(`${path}: ${Math.round((100 * done) / Math.max(1, total))} %`),
    );
    this.#hasJournal ||= path === "journal.db";
    yield* this.#file(path, copy);
    rmSync(copy);
  }

  async *#file(path: string, source: string): AsyncGenerator<Buffer> {
    const handle = await open(source, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined; // It was removed since we looked.
      throw error;
    });
    if (!handle) return;
    try {
      const { size, mode } = await handle.stat();
      yield tarHeader({ path: `${DATA}${path}`, size, mode: mode & 0o700 }, this.#at);
      const hash = createHash("sha256");
      for (let left = size; left > 0; ) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(PIECE, left)));
        if (bytesRead === 0) throw new BackupError(`${path} became shorter while it was copied: try again`);
        const piece = buffer.subarray(0, bytesRead);
        hash.update(piece);
        left -= bytesRead;
        yield piece;
      }
      yield Buffer.alloc(tarPadding(size));
      this.#done.set(path, { path, size, sha256: hash.digest("hex") });
    } finally {
      await handle.close();
    }
  }
}
