import type { IdentityLog } from "../ports.ts";
import type { Actor, AuditedAction, AuditLog } from "./audit-log.ts";

const WINDOW_MS = 300_000;
/** How many different entries one network may have in a window; further ones are counted as `others`. */
const ENTRIES_PER_NETWORK = 50;
const NETWORKS = 10_000;
const OTHERS = "others";

interface Counted {
  readonly actor: Actor;
  readonly entry: AuditedAction;
  /** Repetitions since the entry was written. */
  times: number;
}

/**
 * Audits actions that anybody can repeat at will, such as refusals: the first occurrence at once, and repetitions within
 * the window as one more entry with their number. Each network is counted separately, so none uses up another's share.
 */
export class CountedAudit {
  readonly #audit: Pick<AuditLog, "append">;
  readonly #log: IdentityLog;
  readonly #networkOf: (address: string) => string;
  readonly #networks = new Map<string, { entries: Map<string, Counted>; timer: NodeJS.Timeout }>();
  readonly #writing = new Set<Promise<void>>();

  constructor(audit: Pick<AuditLog, "append">, log: IdentityLog, networkOf: (address: string) => string) {
    this.#audit = audit;
    this.#log = log;
    this.#networkOf = networkOf;
  }

  note(actor: Actor, entry: AuditedAction): void {
    const network = this.#networkOf(actor.address ?? "");
    const entries = this.#entriesOf(network);
    const own = keyOf(actor, entry);
    const isOther = !entries.has(own) && entries.size >= ENTRIES_PER_NETWORK;
    const noted: AuditedAction = isOther ? { action: entry.action, target: OTHERS } : entry;
    const key = isOther ? keyOf(actor, noted) : own;
    const known = entries.get(key);
    if (known) {
      known.times++;
      return;
    }
    entries.set(key, { actor, entry: noted, times: 0 });
    this.#write(actor, noted);
  }

  /** Writes all pending counts. */
  async close(): Promise<void> {
    for (const network of [...this.#networks.keys()]) this.#flush(network);
    await Promise.all(this.#writing);
  }

  #entriesOf(network: string): Map<string, Counted> {
    const known = this.#networks.get(network);
    if (known) return known.entries;
    const [oldest] = this.#networks.keys();
    if (this.#networks.size >= NETWORKS && oldest !== undefined) this.#flush(oldest);
    const timer = setTimeout(() => this.#flush(network), WINDOW_MS).unref();
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

  #write(actor: Actor, entry: AuditedAction): void {
    const writing = this.#audit
      .append(actor, entry)
      .catch((error: unknown) => this.#log.warn({ err: error, action: entry.action }, "audit entry lost"))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }
}

function keyOf({ owner, workspace }: Actor, { action, target, details }: AuditedAction): string {
  return JSON.stringify([workspace, owner, action, target, details]);
}
