import type { Log } from "@parley/a2a";
import { networkOf } from "../http/client-address.ts";
import type { Actor, AuditEntry, AuditLog } from "./audit-log.ts";

const WINDOW_MS = 300_000;
/** So many different entries one network has in that time; what is more is counted as others. */
const ENTRIES_PER_NETWORK = 50;
const NETWORKS = 10_000;
const OTHERS = "others";

interface Counted {
  readonly actor: Actor;
  readonly entry: AuditEntry;
  /** Since it was written. */
  times: number;
}

/**
 * Notes what strangers can repeat at will, such as refusals: the first at once, and what is the same within a few minutes
 * as one more entry that says how often it came. Each network counts alone, so nobody can fill another's share.
 */
export class CountedAudit {
  readonly #audit: Pick<AuditLog, "intend">;
  readonly #log: Log;
  readonly #windowMs: number;
  readonly #networks = new Map<string, { entries: Map<string, Counted>; timer: NodeJS.Timeout }>();
  readonly #writing = new Set<Promise<void>>();

  constructor(audit: Pick<AuditLog, "intend">, log: Log, windowMs = WINDOW_MS) {
    this.#audit = audit;
    this.#log = log;
    this.#windowMs = windowMs;
  }

  note(actor: Actor, entry: AuditEntry): void {
    const network = networkOf(actor.address ?? "");
    const entries = this.#entriesOf(network);
    const told = keyOf(actor, entry);
    const isOther = !entries.has(told) && entries.size >= ENTRIES_PER_NETWORK;
    const noted: AuditEntry = isOther ? { action: entry.action, target: OTHERS } : entry;
    const key = isOther ? keyOf(actor, noted) : told;
    const known = entries.get(key);
    if (known) {
      known.times++;
      return;
    }
    entries.set(key, { actor, entry: noted, times: 0 });
    this.#write(actor, noted);
  }

  /** Writes what was counted so far. */
  async close(): Promise<void> {
    for (const network of [...this.#networks.keys()]) this.#flush(network);
    await Promise.all(this.#writing);
  }

  #entriesOf(network: string): Map<string, Counted> {
    const known = this.#networks.get(network);
    if (known) return known.entries;
    const [oldest] = this.#networks.keys();
    if (this.#networks.size >= NETWORKS && oldest !== undefined) this.#flush(oldest);
    const timer = setTimeout(() => this.#flush(network), this.#windowMs).unref();
    const entries = new Map<string, Counted>();
    this.#networks.set(network, { entries, timer });
    return entries;
  }

  #flush(network: string): void {
    const { entries, timer } = this.#networks.get(network) ?? {};
    clearTimeout(timer);
    this.#networks.delete(network);
    for (const { actor, entry, times } of entries?.values() ?? []) {
      if (times > 0)
        this.#write(actor, { ...entry, details: { ...entry.details, moreTimes: String(times) } });
    }
  }

  #write(actor: Actor, entry: AuditEntry): void {
    const writing = this.#audit
      .intend(actor, entry)
      .catch((error: unknown) => this.#log.warn({ err: error, action: entry.action }, "audit entry lost"))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }
}

function keyOf({ owner, workspace }: Actor, { action, target, details }: AuditEntry): string {
  return JSON.stringify([workspace, owner, action, target, details]);
}
