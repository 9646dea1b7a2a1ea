/** The database in which the client keeps what it knows. */
const DATABASE = "parley";

/** Resolves when nothing is kept any more; other tabs give the database up when they are asked to. */
export function clearKept(databases: IDBFactory = indexedDB): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = databases.deleteDatabase(DATABASE);
    request.addEventListener("success", () => resolve());
    request.addEventListener("error", () => reject(request.error));
  });
}
