import { WriteAheadLog } from "@parley/client";

/** Resolves when nothing is kept any more under this name; other tabs give the database up when they are asked to. */
export async function clearKept(name: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener("success", () => resolve());
    request.addEventListener("error", () => reject(request.error));
  });
  new WriteAheadLog(localStorage, name).clear();
}
