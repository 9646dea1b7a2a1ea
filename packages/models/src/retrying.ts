import { backoffDelay, NO_JITTER, pause } from "@parley/journal";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { ModelBusyError, type ModelError, ModelUnreachableError } from "./model-errors.ts";

const POLICY = { firstDelayMs: 250, maxDelayMs: Number.POSITIVE_INFINITY, jitter: NO_JITTER };

export interface RetryOptions {
  /** How often a turn is tried in all. */
  readonly attempts?: number;
  /** A longer requested delay is not waited for: the caller gets the error at once. */
  readonly longestWaitMs?: number;
  readonly onRetry?: (error: ModelError, waitMs: number) => void;
}

/**
 * The same model, which tries a turn again when the provider is busy or away. It does so before the turn's first
 * event only: after that, text has been delivered that a second attempt would word differently.
 */
export function retrying(model: Model, options: RetryOptions = {}): Model {
  const { attempts = 4, longestWaitMs = 30_000, onRetry = () => {} } = options;
  return {
    name: model.name,
    turn(request: ModelRequest, signal: AbortSignal): AsyncIterableIterator<ModelEvent> {
      let events: AsyncIterator<ModelEvent> | undefined;
      let begun = false;
      const begin = async (): Promise<IteratorResult<ModelEvent>> => {
        for (let attempt = 1; ; attempt += 1) {
          try {
            events = model.turn(request, signal)[Symbol.asyncIterator]();
            const first = await events.next();
            begun = true;
            return first;
          } catch (error) {
            const waitMs = waitBefore(error, attempt);
            if (waitMs === undefined || waitMs > longestWaitMs || attempt >= attempts) throw error;
            onRetry(error as ModelError, waitMs);
            await pause(waitMs, signal);
          }
        }
      };
      // No generator: each of its events would cost more than the retry is worth.
      return {
        [Symbol.asyncIterator]() {
          return this;
        },
        next: () => (begun && events ? events.next() : begin()),
        return: async () => (await events?.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/** At least as long as the provider asks for, and longer with each attempt. */
function waitBefore(error: unknown, attempt: number): number | undefined {
  const passing = error instanceof ModelBusyError || error instanceof ModelUnreachableError;
  if (!passing || error.retryAfterMs === undefined) return undefined;
  return Math.max(error.retryAfterMs, backoffDelay(POLICY, attempt));
}
