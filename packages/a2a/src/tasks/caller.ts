import type { Message } from "../protocol/model.ts";
import type { RequestKey } from "./intake/request-keys.ts";

export interface CallerIdentity {
  /** Tasks, contexts and push configs belong to the owner; no other caller sees them. */
  readonly owner: string;
  /** Whether it has shown who it is; an extended card is for such callers alone. */
  readonly authenticated?: boolean;
  /** It may look at what is its own, and change nothing. */
  readonly readOnly?: boolean;
  /** Aborted when it may not call any more: streams that it has open end. */
  readonly ended?: AbortSignal;
  /** Waits for an event-loop turn to parse a large or slow body; the turn ends by itself. */
  readonly bodyTurn?: () => Promise<unknown>;
  /** Limits what it may add; without it only the limits of requests hold. */
  readonly quota?: CallerQuota | undefined;
}

/** What a caller may add: reserved until it is disposed of; throws an `HttpError` where it is too much. */
export interface CallerQuota {
  /** Called before a message that starts or continues a task is recorded. */
  message(message: Message, begins: boolean): Promise<Disposable | undefined>;
  stream(): Disposable;
}

/** On whose behalf a call is made, and how it speaks. */
export interface Caller extends CallerIdentity {
  readonly dialect: "1.0" | "0.3" | "0.1";
  /** Lets it repeat the call without a second effect. */
  readonly requestKey?: RequestKey;
  /** The caller's trace context. */
  readonly traceparent?: string | undefined;
}
