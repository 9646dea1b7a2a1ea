import type { DomainEvent } from "../api/domain-event.ts";
import type { SessionRecord } from "../sync/session-record.ts";
import {
  type CacheChange,
  type CacheContents,
  type CacheKind,
  type CacheLimits,
  type CachePort,
  DEFAULT_CACHE_LIMITS,
  type Keeping,
  type KeptSession,
  type MemoryReason,
} from "./cache-port.ts";

/** Stores copies in memory, for Node and for browsers without a database. */
export class MemoryCache implements CachePort {
  readonly keeping: Keeping;
  readonly #limits: CacheLimits;
  readonly #kept = new Map<string, unknown>();
  /** As JSON: the record, and its events in pieces. What was used last is last. */
  readonly #sessions = new Map<string, { readonly record: string; readonly pieces: string[] }>();

  constructor(limits: Partial<CacheLimits> = {}, reason: MemoryReason = "chosen") {
    this.#limits = { ...DEFAULT_CACHE_LIMITS, ...limits };
    this.keeping = { name: "memory", reason };
  }

  subscribe(): () => void {
    return () => {};
  }

  async load<Kind extends CacheKind>(kind: Kind, id: string): Promise<CacheContents[Kind] | undefined> {
    return structuredClone(this.#kept.get(`${kind}/${id}`)) as CacheContents[Kind] | undefined;
  }

  async loadAll<Kind extends CacheKind>(kind: Kind): Promise<readonly CacheContents[Kind][]> {
    const found = [...this.#kept].filter(([name]) => name.startsWith(`${kind}/`));
    return found.map(([, value]) => structuredClone(value) as CacheContents[Kind]);
  }

  async save<Kind extends CacheKind>(kind: Kind, id: string, value: CacheContents[Kind]): Promise<void> {
    await this.change([{ kind, id, value } as CacheChange]);
  }

  async change(changes: readonly CacheChange[]): Promise<void> {
    // What cannot be copied is found before anything is changed.
    for (const { kind, id, value } of structuredClone(changes))
      if (value === undefined) this.#kept.delete(`${kind}/${id}`);
      else this.#kept.set(`${kind}/${id}`, value);
  }

  async loadSession(id: string): Promise<KeptSession | undefined> {
    const kept = this.#sessions.get(id);
    if (!kept) return undefined;
    this.#used(id, kept);
    return { record: JSON.parse(kept.record), events: kept.pieces.flatMap((piece) => JSON.parse(piece)) };
  }

  async saveSession(record: SessionRecord): Promise<void> {
    this.#used(record.id, { record: JSON.stringify(record), pieces: [] });
    this.#shrink();
  }

  async addEvents(sessionId: string, events: readonly DomainEvent[]): Promise<boolean> {
    const kept = this.#sessions.get(sessionId);
    if (!kept) return false;
    kept.pieces.push(JSON.stringify(events));
    this.#used(sessionId, kept);
    return true;
  }

  async removeSession(id: string): Promise<void> {
    this.#sessions.delete(id);
  }

  async removeSessions(): Promise<void> {
    this.#sessions.clear();
  }

  #used(id: string, kept: { readonly record: string; readonly pieces: string[] }): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, kept);
  }

  #shrink(): void {
    const { maxSessions, maxCharacters } = this.#limits;
    let characters = 0;
    let sessions = 0;
    for (const [id, { record, pieces }] of [...this.#sessions].reverse()) {
      characters += pieces.reduce((sum, { length }) => sum + length, record.length);
      if (++sessions > maxSessions || characters > maxCharacters) this.#sessions.delete(id);
    }
  }
}
