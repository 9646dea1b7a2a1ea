import type { GrantedLease, Renewal } from "../event-store.ts";
import type { Lease } from "../journal.ts";

interface LeaseActions {
  renew(): Promise<Renewal>;
  release(): Promise<void>;
  /** Called once, when the lease was released or lost. */
  ended(): void;
}

/** Holds a lease: renews it in time, and aborts its signal when it can no longer be relied on. */
export class LeaseKeeper implements Lease {
  readonly stream: string;
  readonly epoch: number;
  readonly #actions: LeaseActions;
  readonly #controller = new AbortController();
  readonly #ttlMs: number | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #released: Promise<void> | undefined;

  /** `asked` is when the storage was asked for it: its time to live counts from then. */
  constructor(stream: string, granted: GrantedLease & { readonly asked: number }, actions: LeaseActions) {
    this.stream = stream;
    this.epoch = granted.epoch;
    this.#actions = actions;
    this.#ttlMs = granted.ttlMs;
    this.#scheduleRenewal(granted.asked);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): Promise<void> {
    this.#released ??= this.#giveUp();
    return this.#released;
  }

  async #giveUp(): Promise<void> {
    this.lose("released");
    await this.#actions.release();
  }

  #scheduleRenewal(asked: number): void {
    if (this.#ttlMs === undefined) return;
    clearTimeout(this.#deadline);
    const left = Math.max(1, asked + this.#ttlMs - performance.now());
    this.#deadline = setTimeout(() => this.lose("not renewed in time"), left).unref();
    this.#renewAfter(this.#ttlMs * 0.3);
  }

  #renewAfter(milliseconds: number): void {
    this.#renewal = setTimeout(() => void this.#renew(), milliseconds).unref();
  }

  async #renew(): Promise<void> {
    const asked = performance.now();
    // After any failure to renew the lease counts as lost: whether the storage renewed it is unknown.
    const renewal = await this.#actions.renew().catch(() => "lost" as const);
    if (this.signal.aborted) return;
    if (renewal === "renewed") this.#scheduleRenewal(asked);
    // The deadline stays: nothing was renewed.
    else if (renewal === "busy") this.#renewAfter((this.#ttlMs ?? 0) * 0.03);
    else this.lose("taken over");
  }

  /** Aborts the signal: the lease is gone. */
  lose(reason: string): void {
    clearTimeout(this.#renewal);
    clearTimeout(this.#deadline);
    if (this.signal.aborted) return;
    this.#controller.abort(new Error(`The lease on ${this.stream} was ${reason}`));
    this.#actions.ended();
  }
}
