import { type Journal, StreamDeletedError, UnknownStreamError } from "@parley/journal";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import type { ConfigSeal } from "./config-seal.ts";
import { NotificationBodies } from "./notification-bodies.ts";
import { NotificationCourier } from "./notification-courier.ts";
import { type PushObserver, silentPushObserver } from "./push-observer.ts";
import { type DueNotification, PushOutbox } from "./push-outbox.ts";
import type { PushTable } from "./push-table.ts";
import { defaultRetries, type RetrySchedule } from "./retry-schedule.ts";
import { WebhookSender } from "./webhook-sender.ts";
import { WebhookSigner } from "./webhook-signature.ts";

export interface PushDeliveryOptions {
  /** Opened with `table` among its projections; one delivery for each journal of a process. */
  readonly journal: Journal;
  readonly table: PushTable;
  readonly seal: ConfigSeal;
  readonly egress: EgressPolicy;
  /** `whsec_…`, the newest first. */
  readonly signingSecrets?: readonly string[];
  readonly observer?: PushObserver;
  readonly retries?: Partial<RetrySchedule>;
  readonly timeoutMs?: number;
  /** How many webhooks are under way at once, and how many of them to one receiver. */
  readonly parallel?: number;
  readonly perReceiver?: number;
  /** The safety net, should nobody have called. */
  readonly pollEveryMs?: number;
}

const DEFAULTS = { timeoutMs: 10_000, parallel: 32, perReceiver: 8, pollEveryMs: 5_000 };
/** A claim is renewed before each try and outlives it well. */
const CLAIM_TIMEOUTS = 3;
/** What is due but locked is looked at again so soon. */
const LEAST_WAIT_MS = 5;

/** Sends what waits in the outbox: at least once, in order for each task and webhook, until it is taken or dead. */
export class PushDelivery {
  readonly #options: PushDeliveryOptions & typeof DEFAULTS;
  readonly #observer: PushObserver;
  readonly #outbox: PushOutbox;
  readonly #courier: NotificationCourier;
  readonly #stop = new AbortController();
  readonly #atWork = new Map<Promise<void>, ConfigAtWork>();
  #unsubscribe: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #called = false;
  #round: Promise<void> | undefined;

  constructor(options: PushDeliveryOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { journal, seal, egress, signingSecrets = [], observer = silentPushObserver } = options;
    const { timeoutMs } = this.#options;
    const signer = new WebhookSigner(signingSecrets);
    const sender = new WebhookSender({ egress, timeoutMs, signer });
    const retries = { ...defaultRetries, ...options.retries };
    this.#observer = observer;
    this.#outbox = new PushOutbox(journal.database, CLAIM_TIMEOUTS * timeoutMs);
    this.#courier = new NotificationCourier({ journal, seal, sender, retries, observer });
  }

  async start(): Promise<void> {
    const { journal, table } = this.#options;
    if (journal.database.dialect === "sqlite") await this.#outbox.voidClaims();
    this.#unsubscribe = table.onQueued(() => this.wake());
    this.wake();
  }

  /** Cuts what is under way: it stays in the outbox and is sent again by whoever starts next. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#round;
    await Promise.all(this.#atWork.keys());
  }

  /** Looks into the outbox now. */
  wake(): void {
    this.#called = true;
    this.#round ??= this.#makeRounds();
  }

  async #makeRounds(): Promise<void> {
    let waitMs = this.#options.pollEveryMs;
    clearTimeout(this.#timer);
    try {
      while (this.#called && !this.#stop.signal.aborted) {
        this.#called = false;
        const more = await this.#takeWhatIsDue();
        if (!more) waitMs = Math.min(waitMs, (await this.#outbox.msToNext(this.#busyReceivers())) ?? waitMs);
      }
    } catch (error) {
      this.#observer.failed(error);
    }
    this.#round = undefined;
    if (!this.#stop.signal.aborted)
      this.#timer = setTimeout(() => this.wake(), Math.max(waitMs, LEAST_WAIT_MS)).unref();
  }

  /** True: there may be more, but no place for it until some work ends. */
  async #takeWhatIsDue(): Promise<boolean> {
    while (this.#atWork.size < this.#options.parallel && !this.#stop.signal.aborted) {
      const due = await this.#outbox.claim(this.#busyReceivers());
      if (!due) return false;
      // Our own work has let go of it and has not heard of that yet, or a clock that was set forward has ended its claim.
      const earlier = this.#workOn(due);
      if (earlier) {
        earlier.claimedAgain = due;
        continue;
      }
      const config: ConfigAtWork = { began: due };
      const work: Promise<void> = this.#sendAll(due).finally(async () => {
        this.#atWork.delete(work);
        if (config.claimedAgain) await this.#putBack(config.claimedAgain);
        if (!this.#stop.signal.aborted) this.wake();
      });
      this.#atWork.set(work, config);
    }
    return true;
  }

  #workOn({ taskId, configId }: DueNotification): ConfigAtWork | undefined {
    const works = [...this.#atWork.values()];
    return works.find(({ began }) => began.taskId === taskId && began.configId === configId);
  }

  /** Otherwise nobody would work on it until the claim expires. */
  async #putBack(due: DueNotification): Promise<void> {
    await this.#outbox.settle(due, { end: "put-back" }).catch((error) => this.#observer.failed(error));
  }

  // One slow receiver must not take every place, however many tasks it listens to.
  #busyReceivers(): string[] {
    const counts = new Map<string, number>();
    for (const { began } of this.#atWork.values())
      counts.set(began.receiver, (counts.get(began.receiver) ?? 0) + 1);
    const { perReceiver } = this.#options;
    return [...counts].filter(([, count]) => count >= perReceiver).map(([receiver]) => receiver);
  }

  /** One notification after the other of one config; a claim that cannot be settled expires by itself. */
  async #sendAll(first: DueNotification): Promise<void> {
    const bodies = new NotificationBodies(this.#options.journal, first.taskId);
    try {
      for (let due: DueNotification | undefined = first; due; ) {
        due = await this.#outbox.settle(due, await this.#courier.carry(due, bodies, this.#stop.signal));
      }
    } catch (error) {
      // With a task everything that waits for it goes.
      if (!isDeleted(error)) this.#observer.failed(error);
    }
  }
}

/** A config whose notifications are being sent. */
interface ConfigAtWork {
  readonly began: DueNotification;
  /** Claimed a second time while it was. */
  claimedAgain?: DueNotification;
}

function isDeleted(error: unknown): boolean {
  return error instanceof StreamDeletedError || error instanceof UnknownStreamError;
}
