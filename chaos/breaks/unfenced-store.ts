import type { AppendUnit, CommitPlan } from "../../packages/journal/src/append/commit-plan.ts";
import type { GrantedLease } from "../../packages/journal/src/event-store.ts";
import { PostgresStore as WholeStore } from "../../packages/journal/src/postgres/postgres-store.ts";

export * from "../../packages/journal/src/postgres/postgres-store.ts";

/** A store that accepts appends from writers without a lease, and reports no lost lease. */
export class PostgresStore extends WholeStore {
  readonly #renewals = new Map<string, NodeJS.Timeout>();

  override commit(units: readonly AppendUnit[]): Promise<CommitPlan> {
    return super.commit(
      units.map((unit) => ({ ...unit, parts: unit.parts.map((part) => ({ ...part, epoch: undefined })) })),
    );
  }

  override async acquire(stream: string): Promise<GrantedLease | { readonly heldBy: string }> {
    const granted = await super.acquire(stream);
    if ("heldBy" in granted || granted.ttlMs === undefined) return granted;
    const { epoch, ttlMs } = granted;
    const renewal = setInterval(() => void this.renew(stream, epoch).catch(() => {}), ttlMs * 0.3);
    this.#renewals.set(`${stream}.${epoch}`, renewal.unref());
    // Without a time to live, no renewal is checked.
    return { epoch, ttlMs: undefined };
  }

  override release(stream: string, epoch: number): Promise<void> {
    clearInterval(this.#renewals.get(`${stream}.${epoch}`));
    return super.release(stream, epoch);
  }
}
