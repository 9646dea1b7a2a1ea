import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;

/** Files by path; each character of their content is a byte, which Brotli packs better than Base64. */
export type PackedFiles = Readonly<Record<string, string>>;

/** Writes a value as JSON, compressed by Brotli: small, and readable wherever Node is. */
export function writePacked(file: string, value: object): void {
  const json = Buffer.from(JSON.stringify(value));
  const params = { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: json.length };
  writeFileSync(file, brotliCompressSync(json, { params }));
}

/** Reads what `writePacked` wrote. */
export function readPacked<Value>(file: string): Value {
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString());
}

/** Writes packed files into a folder. */
export async function unpackFiles(files: PackedFiles, folder: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), Buffer.from(content, "latin1"), { mode: 0o600 });
  }
}
