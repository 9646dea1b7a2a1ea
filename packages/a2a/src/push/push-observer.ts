/** Which notification: the event of a task, on its way to one webhook. */
export interface NotificationName {
  readonly taskId: string;
  readonly configId: string;
  readonly index: number;
}

/** Observes notifications, for logs and metrics; no text that it gets holds a secret. */
export interface PushObserver {
  delivered(notification: NotificationName, tries: number): void;
  retried(notification: NotificationName, failure: { error: string; tries: number; inMs: number }): void;
  /** It is not retried unless it is replayed. */
  dead(notification: NotificationName, failure: { error: string; tries: number }): void;
  /** The receiver answered that it is gone for good, and its config was removed. */
  gone(notification: NotificationName): void;
  /** Our own storage failed; it is tried again. */
  failed(error: unknown): void;
}

/** Ignores everything. */
export const silentPushObserver: PushObserver = {
  delivered() {},
  retried() {},
  dead() {},
  gone() {},
  failed() {},
};
