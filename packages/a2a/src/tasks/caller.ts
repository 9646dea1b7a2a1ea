import type { RequestKey } from "./request-key.ts";

/** On whose behalf a call is made, and how it speaks. */
export interface Caller {
  /** Tasks, contexts and push configs belong to it; nobody else sees them. */
  readonly owner: string;
  readonly dialect: "1.0" | "0.3" | "0.1";
  /** Whether it has shown who it is; an extended card is for such callers alone. */
  readonly authenticated?: boolean;
  /** Lets it repeat the call without a second effect. */
  readonly requestKey?: RequestKey;
  /** The place in a trace from which it calls, as `traceparent` tells it. */
  readonly traceparent?: string | undefined;
}
