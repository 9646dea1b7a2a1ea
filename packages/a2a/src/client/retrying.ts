import { backoffDelay, pause } from "@parley/journal";
import { AgentResponseError, AgentTimeoutError, AgentUnreachableError } from "./client-errors.ts";
import type { ClientObserver, RetryFact } from "./client-observer.ts";
import type { RetryPolicy } from "./client-options.ts";

/** The statuses after which the same request may succeed. */
export const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface Retrying {
  readonly operation: RetryFact["operation"];
  readonly policy: RetryPolicy;
  readonly observer: ClientObserver;
  readonly signal: AbortSignal | undefined;
}

/** Whether the same request may succeed later, if it does no harm twice. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof AgentResponseError) return error.status !== undefined && TEMPORARY.has(error.status);
  return error instanceof AgentUnreachableError || error instanceof AgentTimeoutError;
}

/** Whether the agent cannot have seen the request. */
export function wasNotSent(error: unknown): boolean {
  return (error instanceof AgentUnreachableError || error instanceof AgentTimeoutError) && !error.sent;
}

/** The pause before this try; at least what the agent asks for, up to our maximum. */
export function delayAfter(error: unknown, policy: RetryPolicy, attempt: number): number {
  const asked = error instanceof AgentResponseError ? (error.retryAfter ?? 0) : 0;
  return Math.max(backoffDelay(policy, attempt), Math.min(asked, policy.maxDelayMs));
}

/** Runs a request, and repeats it while `mayRepeat` and the policy allow. */
export async function retrying<T>(
  run: () => Promise<T>,
  { operation, policy, observer, signal }: Retrying,
  mayRepeat: (error: unknown) => boolean = isTemporary,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (signal?.aborted || attempt > policy.tries || !mayRepeat(error)) throw error;
      const delay = delayAfter(error, policy, attempt);
      observer.retrying({ operation, attempt, delay, error });
      await pause(delay, signal);
    }
  }
}
