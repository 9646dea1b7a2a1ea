import type { GrantedLease } from "./event-store.ts";
import type { Lease } from "./journal.ts";

interface LeaseActions {
  /** False means that the lease is lost. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
  /** Called once, when the lease was released or lost. */
  ended(): void;
}

/** Holds a lease: renews it in time, and says by its signal when it can no longer be relied on. */
export class LeaseKeeper implements Lease {
  readonly stream: string;
  readonly epoch: number;
  readonly #actions: LeaseActions;
  readonly #controller = new AbortController();
  readonly #ttlMs: number | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #released: Promise<void> | undefined;

  constructor(stream: string, granted: GrantedLease, actions: LeaseActions) {
    this.stream = stream;
    this.epoch = granted.epoch;
    this.#actions = actions;
    this.#ttlMs = granted.ttlMs;
    this.#scheduleRenewal();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): Promise<void> {
    this.#released ??= this.#giveUp();
    return this.#released;
  }

  async #giveUp(): Promise<void> {
    this.#lost("released");
    await this.#actions.release();
  }

  #scheduleRenewal(): void {
    if (this.#ttlMs === undefined) return;
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#lost("not renewed in time"), this.#ttlMs).unref();
    this.#renewal = setTimeout(() => void this.#renew(), this.#ttlMs * 0.3).unref();
  }

  async #renew(): Promise<void> {
    // Any failure to renew is a loss of authority: whether the storage heard us is unknown.
    const renewed = await this.#actions.renew().catch(() => false);
    if (this.signal.aborted) return;
    if (renewed) this.#scheduleRenewal();
    else this.#lost("taken over");
  }

  #lost(reason: string): void {
    clearTimeout(this.#renewal);
    clearTimeout(this.#deadline);
    if (this.signal.aborted) return;
    this.#controller.abort(new Error(`The lease on ${this.stream} was ${reason}`));
    this.#actions.ended();
  }
}
