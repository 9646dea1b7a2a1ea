import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CommandError, EXIT } from "./command-error.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EEXIST: "it already exists",
};

/** A path relative to the user's folder: npm runs us in the project's folder, wherever the user is. */
export function fromHere(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path);
}

/** Why a file operation failed, in a few words. */
export function fileErrorReason(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? (code || message);
}

/** Reads a file that the user named; a `CommandError` says why it cannot be read. */
export async function readGivenFile(file: string): Promise<string> {
  try {
    return await readFile(fromHere(file), "utf8");
  } catch (error) {
    throw new CommandError(`Cannot read ${file}: ${fileErrorReason(error)}`, EXIT.usage);
  }
}

/** Writes a file that the user named; a `CommandError` says why it cannot be written. */
export async function writeGivenFile(file: string, text: string, flag: "w" | "wx"): Promise<void> {
  try {
    await writeFile(fromHere(file), text, { flag });
  } catch (error) {
    throw new CommandError(`Cannot write ${file}: ${fileErrorReason(error)}`);
  }
}
