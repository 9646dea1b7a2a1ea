import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isSystemError } from "../errors.ts";

export const KEY_BYTES = 32;

/** The key has the wrong length. */
export class KeyLengthError extends Error {
  override readonly name = "KeyLengthError";
  constructor(what: string) {
    super(`${what} must be ${KEY_BYTES} bytes, in a file or a variable as base64`);
  }
}

/** Others on this machine could read the key. */
export class KeyFileModeError extends Error {
  override readonly name = "KeyFileModeError";
  constructor(path: string) {
    super(`${path} can be read by others; run: chmod 600 ${path}`);
  }
}

/** Reads the key from a file, or creates the file, readable by its owner alone. */
export async function loadOrCreateKey(path: string): Promise<Buffer> {
  const found = await readKeyFile(path);
  if (found) return found;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${randomBytes(KEY_BYTES).toString("base64")}\n`, {
    mode: 0o600,
    flag: "wx",
    flush: true,
  });
  try {
    // A link is atomic, and never replaces the key of a faster process.
    await link(draft, path);
  } catch (error) {
    if (!isSystemError(error, "EEXIST")) throw error;
  } finally {
    await unlink(draft);
  }
  const made = await readKeyFile(path);
  if (!made) throw new KeyLengthError(path);
  return made;
}

/** A key as a file or an environment variable has it; `what` names it in the error. */
export function keyFromText(text: string, what: string): Buffer {
  const key = Buffer.from(text.trim(), "base64");
  if (key.byteLength !== KEY_BYTES) throw new KeyLengthError(what);
  return key;
}

async function readKeyFile(path: string): Promise<Buffer | undefined> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) throw new KeyFileModeError(path);
    return keyFromText(await readFile(path, "utf8"), path);
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw error;
  }
}
