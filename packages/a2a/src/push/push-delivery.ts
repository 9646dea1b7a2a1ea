import { setTimeout as sleep } from "node:timers/promises";
import { EventsTrimmedError, type Journal, StreamDeletedError, UnknownStreamError } from "@parley/journal";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { taskStream } from "../tasks/task-events.ts";
import { type ConfigSeal, SealBrokenError } from "./config-seal.ts";
import { EventMissingError, NotificationBodies } from "./notification-bodies.ts";
import { type PushObserver, silentPushObserver } from "./push-observer.ts";
import { type DueNotification, type Outcome, PushOutbox } from "./push-outbox.ts";
import type { PushTable, QueuedEvent } from "./push-table.ts";
import { defaultRetries, type RetrySchedule, retryDelay } from "./retry-schedule.ts";
import { WebhookSender } from "./webhook-sender.ts";
import { WebhookSigner, webhookId } from "./webhook-signature.ts";

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
  readonly #retries: RetrySchedule;
  readonly #outbox: PushOutbox;
  readonly #sender: WebhookSender;
  readonly #stop = new AbortController();
  /** One entry for each config that is being worked on: the notification it began with. */
  readonly #atWork = new Map<Promise<void>, DueNotification>();
  #unsubscribe: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #called = false;
  #round: Promise<void> | undefined;

  constructor(options: PushDeliveryOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { journal, egress, signingSecrets = [], observer = silentPushObserver } = options;
    const { timeoutMs } = this.#options;
    this.#observer = observer;
    this.#retries = { ...defaultRetries, ...options.retries };
    this.#outbox = new PushOutbox(journal.database, CLAIM_TIMEOUTS * timeoutMs);
    this.#sender = new WebhookSender({ egress, timeoutMs, signer: new WebhookSigner(signingSecrets) });
  }

  async start(): Promise<void> {
    const { journal, table } = this.#options;
    if (journal.database.dialect === "sqlite") await this.#outbox.voidClaims();
    this.#unsubscribe = table.onQueued((event) => void this.#wakeAfterCommit(event));
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

  // It hears of a status inside the transaction that writes it, and there is nothing to find before its end. Should
  // that take longer than a poll, or come to nothing, the poll sees to it.
  async #wakeAfterCommit({ stream, index }: QueuedEvent): Promise<void> {
    for (let waitMs = 1; waitMs < this.#options.pollEveryMs && !this.#stop.signal.aborted; waitMs *= 2) {
      if ((await this.#headOf(stream)) >= index) return this.wake();
      await sleep(waitMs, undefined, { ref: false });
    }
  }

  async #headOf(stream: string): Promise<number> {
    try {
      return await this.#options.journal.head(stream);
    } catch (error) {
      // New with this very commit, or deleted since.
      if (!(error instanceof UnknownStreamError)) this.#observer.failed(error);
      return 0;
    }
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
      // A clock that was set forward has ended a claim of our own.
      if (this.#isAtWork(due)) continue;
      const work: Promise<void> = this.#sendAll(due).finally(() => {
        this.#atWork.delete(work);
        if (!this.#stop.signal.aborted) this.wake();
      });
      this.#atWork.set(work, due);
    }
    return true;
  }

  #isAtWork({ taskId, configId }: DueNotification): boolean {
    return [...this.#atWork.values()].some((it) => it.taskId === taskId && it.configId === configId);
  }

  // One slow receiver must not take every place, however many tasks it listens to.
  #busyReceivers(): string[] {
    const counts = new Map<string, number>();
    for (const { receiver } of this.#atWork.values()) counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
    const { perReceiver } = this.#options;
    return [...counts].filter(([, count]) => count >= perReceiver).map(([receiver]) => receiver);
  }

  /** One notification after the other of one config; a claim that cannot be settled expires by itself. */
  async #sendAll(first: DueNotification): Promise<void> {
    const bodies = new NotificationBodies(this.#options.journal, first.taskId);
    try {
      for (let due: DueNotification | undefined = first; due; ) {
        due = await this.#outbox.settle(due, await this.#send(due, bodies));
      }
    } catch (error) {
      // With a task everything that waits for it goes.
      if (!(error instanceof StreamDeletedError)) this.#observer.failed(error);
    }
  }

  async #send(due: DueNotification, bodies: NotificationBodies): Promise<Outcome> {
    const { taskId, configId, index, dialect, sealed } = due;
    try {
      const config = this.#options.seal.open({ taskId, id: configId }, sealed);
      const body = await bodies.at(index, dialect);
      const answer = await this.#sender.send({
        id: webhookId(due),
        config,
        body,
        signal: this.#stop.signal,
      });
      if (answer === "taken") return this.#delivered(due);
      if (answer === "gone") return await this.#gone(due);
      return this.#stop.signal.aborted ? { end: "put-back" } : this.#failed(due, answer.error);
    } catch (error) {
      if (isHopeless(error)) return this.#dead(due, error.message);
      throw error;
    }
  }

  #delivered(due: DueNotification): Outcome {
    this.#observer.delivered(due, due.tries + 1);
    return { end: "delivered" };
  }

  #failed(due: DueNotification, error: string): Outcome {
    const tries = due.tries + 1;
    const retryInMs = retryDelay(this.#retries, tries);
    if (retryInMs === undefined) return this.#dead(due, error);
    this.#observer.retried(due, { error, tries, inMs: retryInMs });
    return { end: "failed", error, retryInMs };
  }

  #dead(due: DueNotification, error: string): Outcome {
    this.#observer.dead(due, { error, tries: due.tries + 1 });
    return { end: "dead", error };
  }

  async #gone(due: DueNotification): Promise<Outcome> {
    const event = { pushRemoved: { id: due.configId } };
    await this.#options.journal.append(taskStream(due.taskId), [event], { urgent: true });
    this.#observer.gone(due);
    return { end: "put-back" };
  }
}

function isHopeless(error: unknown): error is Error {
  return (
    error instanceof SealBrokenError ||
    error instanceof EventMissingError ||
    error instanceof EventsTrimmedError
  );
}
