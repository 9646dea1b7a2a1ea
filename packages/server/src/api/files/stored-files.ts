import type { Principal, StoredFile } from "@parley/sessions";
import type { Files } from "../api-ports.ts";
import { invalid, problemOf } from "../problem.ts";

/** The files that a message names, if all are the principal's. */
export async function storedFiles(
  files: Files,
  principal: Principal,
  named: readonly string[] | undefined,
): Promise<StoredFile[] | undefined> {
  if (!named || named.length === 0) return undefined;
  return Promise.all(
    named.map((blob, position) =>
      files.describe(principal, blob).catch((error: unknown) => {
        if (problemOf(error)?.code !== "not_found") throw error;
        throw invalid(`body.files.${position}`, "There is no such file: upload it first");
      }),
    ),
  );
}
