import type { ApiClient } from "../api/api-client.ts";
import { type Backoff, delayBefore } from "../ports/backoff.ts";
import type { Clock } from "../ports/clock.ts";
import { failureOf } from "./failure-of.ts";
import { sendCommand } from "./send-command.ts";
import type { Effect, Failure, SyncEvent } from "./sync-event.ts";

/** The effects that take time and are answered by an event. */
export type Work = Extract<Effect, { type: "readList" | "readChanges" | "readSession" | "send" | "rest" }>;

/** What effects are carried out with. */
export interface WorkOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
  /** Resolves when the commands of the queue are kept. */
  readonly kept: Promise<void>;
}

/** Whether an effect takes time; the others are for the cache. */
export function isWork(effect: Effect): effect is Work {
  return ["readList", "readChanges", "readSession", "send", "rest"].includes(effect.type);
}

/** Carries an effect out; never rejects: what went wrong is an event too, where anybody wants to know. */
export async function carriedOut(effect: Work, options: WorkOptions): Promise<SyncEvent | undefined> {
  try {
    return await done(effect, options);
  } catch (error) {
    return failed(effect, failureOf(error));
  }
}

async function done(effect: Work, { client, clock, backoff, signal, kept }: WorkOptions): Promise<SyncEvent> {
  // The machine itself tries again, and knows when that is worth it.
  const options = { signal, attempts: 1 };
  switch (effect.type) {
    case "readList": {
      const { sessions } = await client.listSessions({}, options);
      return { type: "listed", sessions };
    }
    case "readChanges": {
      const changes = await client.changes(effect.since, { limit: 200 }, options);
      return { type: "changesRead", request: effect.request, changes };
    }
    case "readSession": {
      const { sessionId, request, since } = effect;
      const reading = await client.readSession(sessionId, { eventsSince: since }, options);
      return { type: "sessionRead", sessionId, request, reading };
    }
    case "send":
      // What is sent before it is kept could be forgotten, and the user would send it again.
      await kept;
      await sendCommand(client, effect.command, { ...options, key: effect.key });
      return { type: "acknowledged", key: effect.key };
    case "rest": {
      const delay = delayBefore(effect.attempt, backoff, clock);
      await clock.sleep(Math.max(effect.atLeastMs, delay), signal);
      return { type: "rested", of: effect.of };
    }
  }
}

function failed(effect: Work, failure: Failure): SyncEvent | undefined {
  switch (effect.type) {
    case "readChanges":
      return { type: "changesFailed", request: effect.request, failure };
    case "readSession":
      return { type: "sessionFailed", sessionId: effect.sessionId, request: effect.request, failure };
    case "send":
      return { type: "failed", key: effect.key, failure };
    // The first look is a courtesy: the changes bring the same.
    case "readList":
    case "rest":
      return undefined;
  }
}
