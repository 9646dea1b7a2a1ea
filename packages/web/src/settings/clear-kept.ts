/** Resolves when nothing is kept any more under this name; other tabs give the database up when they are asked to. */
export function clearKept(name: string, databases: IDBFactory = indexedDB): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = databases.deleteDatabase(name);
    request.addEventListener("success", () => resolve());
    request.addEventListener("error", () => reject(request.error));
  });
}
