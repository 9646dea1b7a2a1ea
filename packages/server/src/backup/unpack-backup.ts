import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { BackupProgress } from "./back-up.ts";
import { DamagedBackupError } from "./backup-errors.ts";
import { type BackupManifest, backupManifest, DATA, MANIFEST } from "./backup-manifest.ts";
import { type BackupKeys, isSealed, unsealed } from "./sealed-backup.ts";
import { TarError, type TarFile, tarFiles } from "./tar-reader.ts";

const LARGEST_MANIFEST = 1 << 28;
/** Real backups compress to a tenth at best; a gzip bomb to a thousandth. */
const MAX_RATIO = 100;
const ALWAYS_ALLOWED = 1 << 26;

type Unpacked = BackupManifest["files"][number];

export interface UnpackOptions {
  readonly progress?: BackupProgress;
  readonly signal?: AbortSignal;
  /** Decrypts an encrypted backup. */
  readonly keys?: BackupKeys | undefined;
  /** A backup that unpacks to more than this many times its size is refused. */
  readonly maxRatio?: number | undefined;
}

/** Unpacks a backup into an empty folder, verifies it against its manifest and returns that; throws `DamagedBackupError`. */
export async function unpackBackup(
  file: string,
  folder: string,
  { progress = () => {}, signal, keys = {}, maxRatio = MAX_RATIO }: UnpackOptions,
): Promise<BackupManifest> {
  const files: Unpacked[] = [];
  const found: { manifest?: BackupManifest } = {};
  try {
    const unpack = async (bytes: AsyncIterable<Buffer>) => {
      for await (const entry of tarFiles(bytes)) {
        if (entry.path === MANIFEST) found.manifest = await manifestIn(entry);
        else files.push(await unpackFile(entry, folder));
        progress(`file ${files.length}`);
      }
    };
    const isEncrypted = await isSealed(file);
    const most = Math.max(ALWAYS_ALLOWED, maxRatio * statSync(file).size);
    await pipeline(
      createReadStream(file),
      async function* (bytes: AsyncIterable<Buffer>) {
        yield* isEncrypted ? unsealed(bytes, keys) : bytes;
      },
      createGunzip(),
      (bytes: AsyncIterable<Buffer>) => limited(bytes, most, maxRatio),
      unpack,
      { ...(signal && { signal }) },
    );
  } catch (error) {
    throw damageIn(error, file);
  }
  const { manifest } = found;
  if (!manifest) throw new DamagedBackupError(file, "its manifest is missing");
  const difference = differenceBetween(manifest.files, files);
  if (difference !== undefined) throw new DamagedBackupError(file, difference);
  return manifest;
}

async function* limited(bytes: AsyncIterable<Buffer>, most: number, ratio: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > most)
      throw new TarError(`it unpacks to more than ${ratio} times its size; if it is yours, set --max-ratio`);
    yield piece;
  }
}

async function unpackFile({ path, mode, content }: TarFile, folder: string): Promise<Unpacked> {
  const inside = path.startsWith(DATA) ? path.slice(DATA.length) : "";
  // A malicious archive could name any file on this machine.
  if (inside === "" || posix.normalize(inside) !== inside || /^(\.\.?)?(\/|$)/.test(inside))
    throw new TarError(`it holds ${JSON.stringify(path)}, which is no place in a data folder`);
  const target = join(folder, inside);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const handle = await open(target, "wx", (mode & 0o700) | 0o600);
  try {
    const hash = createHash("sha256");
    let size = 0;
    for await (const piece of content) {
      hash.update(piece);
      size += piece.length;
      await handle.writeFile(piece);
    }
    await handle.sync();
    return { path: inside, size, sha256: hash.digest("hex") };
  } finally {
    await handle.close();
  }
}

async function manifestIn({ size, content }: TarFile): Promise<BackupManifest> {
  if (size > LARGEST_MANIFEST) throw new TarError("its manifest is too large");
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  try {
    return backupManifest.parse(JSON.parse(Buffer.concat(pieces).toString()));
  } catch {
    throw new TarError("its manifest cannot be read, or is of another Parley");
  }
}

function differenceBetween(promised: readonly Unpacked[], found: readonly Unpacked[]): string | undefined {
  const hashes = new Map(found.map(({ path, sha256 }) => [path, sha256]));
  const wrong = promised.find(({ path, sha256 }) => hashes.get(path) !== sha256);
  if (wrong) return `${wrong.path} is ${hashes.has(wrong.path) ? "not what it was" : "missing"}`;
  return hashes.size === promised.length ? undefined : "it holds files that its manifest does not name";
}

function damageIn(error: unknown, file: string): unknown {
  if (error instanceof TarError) return new DamagedBackupError(file, error.message);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("Z_") ? new DamagedBackupError(file, (error as Error).message) : error;
}
