import { type Journal, StreamDeletedError, UnknownStreamError } from "@parley/journal";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { taskStream } from "../tasks/task-events.ts";
import { type ConfigSeal, SealBrokenError } from "./config-seal.ts";
import { EventMissingError, NotificationBodies } from "./notification-bodies.ts";
import { type PushObserver, silentPushObserver } from "./push-observer.ts";
import {
  type DueNotification,
  type FullParties,
  type Outcome,
  type Parties,
  PushOutbox,
} from "./push-outbox.ts";
import type { PushTable } from "./push-table.ts";
import { defaultRetries, type RetrySchedule, retryDelay } from "./retry-schedule.ts";
import { sendWebhook, type WebhookSenderOptions } from "./webhook-sender.ts";
import { WebhookSigner, webhookId } from "./webhook-signature.ts";

interface CourierOptions extends WebhookSenderOptions {
  readonly journal: Journal;
  readonly seal: ConfigSeal;
  readonly retries: RetrySchedule;
  readonly observer: PushObserver;
}

/** Makes one try with one notification, and reports the outcome to the observer. */
class NotificationCourier {
  readonly #options: CourierOptions;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** An aborted try does not count. Throws only errors of our own storage. */
  async carry(due: DueNotification, bodies: NotificationBodies, signal: AbortSignal): Promise<Outcome> {
    const { taskId, configId, index, dialect, sealed } = due;
    const { seal, observer } = this.#options;
    try {
      const config = seal.open({ taskId, id: configId }, sealed);
      const body = await bodies.at(index, dialect);
      const answer = await sendWebhook({ id: webhookId(due), config, body, signal }, this.#options);
      if (answer === "gone") return await this.#gone(due);
      if (answer !== "taken") return signal.aborted ? { end: "put-back" } : this.#failed(due, answer.error);
      observer.delivered(due, due.tries + 1);
      return { end: "delivered" };
    } catch (error) {
      if (error instanceof SealBrokenError || error instanceof EventMissingError)
        return this.#dead(due, error.message);
      throw error;
    }
  }

  #failed(due: DueNotification, error: string): Outcome {
    const tries = due.tries + 1;
    const inMs = retryDelay(this.#options.retries, tries);
    if (inMs === undefined) return this.#dead(due, error);
    this.#options.observer.retried(due, { error, tries, inMs });
    return { end: "failed", error, retryInMs: inMs };
  }

  #dead(due: DueNotification, error: string): Outcome {
    this.#options.observer.dead(due, { error, tries: due.tries + 1 });
    return { end: "dead", error };
  }

  // Removing the config removes its notifications: there is nothing left to settle.
  async #gone(due: DueNotification): Promise<Outcome> {
    const event = { pushRemoved: { id: due.configId } };
    await this.#options.journal.append(taskStream(due.taskId), [event], { urgent: true });
    this.#options.observer.gone(due);
    return { end: "put-back" };
  }
}

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
  readonly parallel?: number;
  /** Polls in case a wake-up was lost. */
  readonly pollEveryMs?: number;
}

const DEFAULTS = { timeoutMs: 10_000, parallel: 32, pollEveryMs: 5_000 };
/**
 * How many places each party may take for each place that it leaves free. So none takes all of them, and none all that
 * its larger party may take: of 32, the hanging webhooks of an owner at one host take 11, those of the owner 16, of the
 * workspace 22, of the host 24.
 */
const PLACES_PER_FREE: Readonly<Record<keyof Parties, number>> = {
  ownerAtHost: 0.5,
  owner: 1,
  workspace: 2,
  host: 3,
};
/** A claim is renewed before each try and outlives it well. */
const CLAIM_TIMEOUTS = 3;
/** The pause before looking again at what is due but locked. */
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
    const retries = { ...defaultRetries, ...options.retries };
    this.#observer = observer;
    this.#outbox = new PushOutbox(journal.database, CLAIM_TIMEOUTS * timeoutMs);
    this.#courier = new NotificationCourier({ journal, seal, egress, signer, timeoutMs, retries, observer });
  }

  async start(): Promise<void> {
    const { journal, table } = this.#options;
    if (journal.database.dialect === "sqlite") await this.#outbox.voidClaims();
    this.#unsubscribe = table.onQueued(() => this.wake());
    this.wake();
  }

  /** Aborts deliveries under way: they stay in the outbox for the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#round;
    await Promise.all(this.#atWork.keys());
  }

  /** Checks the outbox now. */
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
        if (!more) waitMs = Math.min(waitMs, (await this.#outbox.msToNext(this.#fullParties())) ?? waitMs);
      }
    } catch (error) {
      this.#observer.failed(error);
    }
    this.#round = undefined;
    if (!this.#stop.signal.aborted)
      this.#timer = setTimeout(() => this.wake(), Math.max(waitMs, LEAST_WAIT_MS)).unref();
  }

  /** True: there may be more, but no free place for it. */
  async #takeWhatIsDue(): Promise<boolean> {
    while (this.#atWork.size < this.#options.parallel && !this.#stop.signal.aborted) {
      const due = await this.#outbox.claim(this.#fullParties());
      if (!due) return false;
      // Our own worker has released it but does not know yet, or a clock that was set forward has ended its claim.
      const isSame = ({ began }: ConfigAtWork) =>
        began.taskId === due.taskId && began.configId === due.configId;
      const earlier = [...this.#atWork.values()].find(isSame);
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

  /** Without this, it would not be sent until the claim expires. */
  async #putBack(due: DueNotification): Promise<void> {
    await this.#outbox.settle(due, { end: "put-back" }).catch((error) => this.#observer.failed(error));
  }

  #fullParties(): FullParties {
    const began = [...this.#atWork.values()].map(({ began: { parties } }) => parties);
    const free = this.#options.parallel - began.length;
    const fullOf = (kind: keyof Parties) =>
      [...Map.groupBy(began, (parties) => parties[kind])]
        .filter(([, own]) => own.length >= PLACES_PER_FREE[kind] * free)
        .map(([name]) => name);
    const kinds = Object.keys(PLACES_PER_FREE) as (keyof Parties)[];
    return Object.fromEntries(kinds.map((kind) => [kind, fullOf(kind)]));
  }

  /** Sends the notifications of one config in order; a claim that cannot be settled expires. */
  async #sendAll(first: DueNotification): Promise<void> {
    const bodies = new NotificationBodies(this.#options.journal, first.taskId);
    try {
      for (let due: DueNotification | undefined = first; due; ) {
        due = await this.#outbox.settle(due, await this.#courier.carry(due, bodies, this.#stop.signal));
      }
    } catch (error) {
      const isDeleted = error instanceof StreamDeletedError || error instanceof UnknownStreamError;
      // A deleted task takes its notifications along.
      if (!isDeleted) this.#observer.failed(error);
    }
  }
}

interface ConfigAtWork {
  readonly began: DueNotification;
  claimedAgain?: DueNotification;
}
