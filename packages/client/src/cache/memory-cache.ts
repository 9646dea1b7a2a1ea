import type { CacheContents, CacheKind, CachePort } from "./cache-port.ts";

/** Keeps copies in memory, as a database would, for Node and for browsers that have none. */
export class MemoryCache implements CachePort {
  readonly #kept = new Map<string, unknown>();

  async load<Kind extends CacheKind>(kind: Kind, id: string): Promise<CacheContents[Kind] | undefined> {
    return structuredClone(this.#kept.get(`${kind}/${id}`)) as CacheContents[Kind] | undefined;
  }

  async loadAll<Kind extends CacheKind>(kind: Kind): Promise<readonly CacheContents[Kind][]> {
    const found = [...this.#kept].filter(([name]) => name.startsWith(`${kind}/`));
    return found.map(([, value]) => structuredClone(value) as CacheContents[Kind]);
  }

  async save<Kind extends CacheKind>(kind: Kind, id: string, value: CacheContents[Kind]): Promise<void> {
    this.#kept.set(`${kind}/${id}`, structuredClone(value));
  }

  async remove(kind: CacheKind, id: string): Promise<void> {
    this.#kept.delete(`${kind}/${id}`);
  }
}
