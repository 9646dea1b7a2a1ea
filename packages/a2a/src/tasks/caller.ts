import type { RequestKey } from "./request-key.ts";

/** On whose behalf a call is made. */
export interface CallerIdentity {
  /** Tasks, contexts and push configs belong to it; nobody else sees them. */
  readonly owner: string;
  /** Whether it has shown who it is; an extended card is for such callers alone. */
  readonly authenticated?: boolean;
  /** It may look at what is its own, and change nothing. */
  readonly readOnly?: boolean;
  /** Aborted when it may not call any more: streams that it has open end. */
  readonly ended?: AbortSignal;
}

/** On whose behalf a call is made, and how it speaks. */
export interface Caller extends CallerIdentity {
  readonly dialect: "1.0" | "0.3" | "0.1";
  /** Lets it repeat the call without a second effect. */
  readonly requestKey?: RequestKey;
  /** The place in a trace from which it calls, as `traceparent` tells it. */
  readonly traceparent?: string | undefined;
}
