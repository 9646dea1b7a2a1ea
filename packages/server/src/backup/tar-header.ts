/** The block size of tar. */
export const TAR_BLOCK = 512;
const MAX_NAME_LENGTH = 100;
const LARGEST_SIZE = 0o77777777777;

/** A file in an archive. */
export interface TarEntry {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
}

/** Formats the header before a file's content: POSIX 1003.1 (pax), which every tar reads. */
export function tarHeader(entry: TarEntry, at: Date): Buffer {
  const { path, size } = entry;
  const fits = Buffer.byteLength(path) <= MAX_NAME_LENGTH && size <= LARGEST_SIZE;
  if (fits) return block({ ...entry, type: "0" }, at);
  const records = Buffer.from(`${record("path", path)}${record("size", String(size))}`);
  return Buffer.concat([
    block({ path: "pax", size: records.length, mode: 0o600, type: "x" }, at),
    padded(records),
    block({ path: path.slice(-30), size: Math.min(size, LARGEST_SIZE), mode: entry.mode, type: "0" }, at),
  ]);
}

/** The number of padding zeros after a content of this size. */
export function tarPadding(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
}

/** Parses a header block; undefined if it is invalid. */
export function readTarHeader(header: Buffer): (TarEntry & { readonly type: string }) | undefined {
  if (octal(header, 148, 8) !== checksum(header)) return undefined;
  return {
    path: text(header, 0, MAX_NAME_LENGTH),
    mode: octal(header, 100, 8),
    size: octal(header, 124, 12),
    type: text(header, 156, 1) || "0",
  };
}

/** Parses the records of a pax header, which describe the next file. */
export function readPaxRecords(records: Buffer): Partial<Pick<TarEntry, "path" | "size">> {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; at < records.length; ) {
    const length = Number.parseInt(records.toString("latin1", at, at + 20), 10);
    if (!(length > 0)) break;
    const line = records.toString("utf8", at, at + length - 1);
    const [, key, value = ""] = /^\d+ ([^=]+)=(.*)$/s.exec(line) ?? [];
    if (key === "path") found.path = value;
    if (key === "size") found.size = Number(value);
    at += length;
  }
  return found;
}

function block({ path, size, mode, type }: TarEntry & { readonly type: string }, at: Date): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  header.write(path, 0, MAX_NAME_LENGTH);
  header.write(`${mode.toString(8).padStart(7, "0")}\0${"0".repeat(7)}\0${"0".repeat(7)}\0`, 100);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write(
    `${Math.floor(at.getTime() / 1_000)
      .toString(8)
      .padStart(11, "0")}\0`,
    136,
  );
  header.write(`${type}`, 156);
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

// A record starts with its own length, including the digits of that length.
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  const length = rest + String(rest + String(rest).length).length;
  return `${length} ${key}=${value}\n`;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(tarPadding(content.length))]);
}

/** The checksum: the sum of all bytes, with the checksum field read as spaces. */
function checksum(header: Buffer): number {
  const own = header.subarray(148, 156).reduce((sum, byte) => sum + byte, 0);
  return header.reduce((sum, byte) => sum + byte, 0) - own + 8 * 32;
}

function octal(header: Buffer, at: number, length: number): number {
  return Number.parseInt(text(header, at, length).trim() || "0", 8);
}

function text(header: Buffer, at: number, length: number): string {
  return header.toString("utf8", at, at + length).split("\0", 1)[0] ?? "";
}
