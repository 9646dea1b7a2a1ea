import { MAX_MESSAGE_FILE_BYTES, type Principal, type StoredFile } from "@parley/sessions";
import type { Files } from "../adapter-host.ts";
import { invalid, unless } from "../problem.ts";

/** The files that a message names, each once, if all are the principal's and not too large together. */
export async function storedFiles(
  files: Pick<Files, "describe">,
  principal: Principal,
  named: readonly string[] | undefined,
): Promise<StoredFile[] | undefined> {
  if (!named || named.length === 0) return undefined;
  const stored = await Promise.all(
    [...new Set(named)].map(async (blob) => {
      const file = await unless("not_found", files.describe(principal, blob));
      if (file) return file;
      throw invalid(`body.files.${named.indexOf(blob)}`, "There is no such file: upload it first");
    }),
  );
  const bytes = stored.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= MAX_MESSAGE_FILE_BYTES) return stored;
  const most = `The files of a message may have ${MAX_MESSAGE_FILE_BYTES} bytes in all, and these have ${bytes}`;
  throw invalid("body.files", most, "too_large");
}
