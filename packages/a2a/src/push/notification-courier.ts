import type { Journal } from "@parley/journal";
import { taskStream } from "../tasks/task-events.ts";
import { type ConfigSeal, SealBrokenError } from "./config-seal.ts";
import { EventMissingError, type NotificationBodies } from "./notification-bodies.ts";
import type { PushObserver } from "./push-observer.ts";
import type { DueNotification, Outcome } from "./push-outbox.ts";
import { type RetrySchedule, retryDelay } from "./retry-schedule.ts";
import type { WebhookSender } from "./webhook-sender.ts";
import { webhookId } from "./webhook-signature.ts";

export interface CourierOptions {
  readonly journal: Journal;
  readonly seal: ConfigSeal;
  readonly sender: WebhookSender;
  readonly retries: RetrySchedule;
  readonly observer: PushObserver;
}

/** Makes one try with one notification, says what comes of it, and tells the observer. */
export class NotificationCourier {
  readonly #options: CourierOptions;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** A try that the signal cuts does not count. Throws only what our own storage throws. */
  async carry(due: DueNotification, bodies: NotificationBodies, signal: AbortSignal): Promise<Outcome> {
    const { taskId, configId, index, dialect, sealed } = due;
    const { seal, sender, observer } = this.#options;
    try {
      const config = seal.open({ taskId, id: configId }, sealed);
      const body = await bodies.at(index, dialect);
      const answer = await sender.send({ id: webhookId(due), config, body, signal });
      if (answer === "gone") return await this.#gone(due);
      if (answer !== "taken") return signal.aborted ? { end: "put-back" } : this.#failed(due, answer.error);
      observer.delivered(due, due.tries + 1);
      return { end: "delivered" };
    } catch (error) {
      if (isHopeless(error)) return this.#dead(due, error.message);
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

  // With the config everything that waits for it goes, so there is nothing left to settle.
  async #gone(due: DueNotification): Promise<Outcome> {
    const event = { pushRemoved: { id: due.configId } };
    await this.#options.journal.append(taskStream(due.taskId), [event], { urgent: true });
    this.#options.observer.gone(due);
    return { end: "put-back" };
  }
}

function isHopeless(error: unknown): error is Error {
  return error instanceof SealBrokenError || error instanceof EventMissingError;
}
