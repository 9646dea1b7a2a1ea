import type { ApiClient, CommandOptions } from "../api/api-client.ts";
import { failureOf } from "../api/api-error.ts";
import { type Backoff, delayBefore } from "../ports/backoff.ts";
import type { Clock } from "../ports/clock.ts";
import type { Command } from "./command.ts";
import type { Effect, Failure, SyncEvent } from "./sync-event.ts";

/** The effects that take time and are answered by an event. */
export type Work = Extract<Effect, { type: "readList" | "readChanges" | "readSession" | "send" | "rest" }>;

export interface WorkOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
  /** Resolves when the commands of the queue are kept. */
  readonly kept: Promise<void>;
}

export function isWork(effect: Effect): effect is Work {
  return ["readList", "readChanges", "readSession", "send", "rest"].includes(effect.type);
}

/** Performs an effect; never rejects, since a failure is an event too. */
export async function performEffect(effect: Work, options: WorkOptions): Promise<SyncEvent | undefined> {
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
    default:
      // The list is only a first look: the changes bring the same.
      return undefined;
  }
}

/** Sends a command to the server; its effects arrive through the feed. */
function sendCommand(
  client: ApiClient,
  { sessionId, ...command }: Command,
  options: CommandOptions,
): Promise<unknown> {
  switch (command.type) {
    case "create": {
      const { type: _, ...session } = command;
      return client.createSession({ id: sessionId, ...session }, options);
    }
    case "send": {
      const { type: _, messageId, attached: __, ...message } = command;
      return client.postMessage(sessionId, { id: messageId, ...message }, options);
    }
    case "edit": {
      const { type: _, childId, messageId, ...edit } = command;
      return client.editMessage(sessionId, messageId, { id: childId, ...edit }, options);
    }
    case "fork": {
      const { type: _, childId, ...fork } = command;
      return client.forkSession(sessionId, { id: childId, ...fork }, options);
    }
    case "retry": {
      const { type: _, childId, runId, ...retry } = command;
      return client.retryRun(sessionId, runId, { id: childId, ...retry }, options);
    }
    case "cancel": {
      const { type: _, runId, ...cancel } = command;
      return client.cancelRun(sessionId, runId, cancel, options);
    }
    case "change": {
      const { type: _, ...change } = command;
      return client.changeSession(sessionId, change, options);
    }
    case "delete":
      return client.deleteSession(sessionId, options);
    case "restore":
      return client.restoreSession(sessionId, options);
    case "answer": {
      const { type: _, approvalId, ...answer } = command;
      return client.answerApproval(sessionId, approvalId, answer, options);
    }
  }
}
