import pg from "pg";
import { DiskFullError, JournalError, ProjectionFailedError, StorageUnavailableError } from "../errors.ts";

const WHERE = "The Postgres database";
const DISK_FULL = "53100";
/** Connection, resource and operator trouble, a server that only reads, and what the server ended because it was idle or took too long. */
const UNAVAILABLE = /^(08|53|57P|57014|25006|25P03|25P04)/;
/** The server gave up this session, because of its disk or its memory: others may fare better, later. */
const SESSION_ENDED = /^(58|XX000)/;
const CONNECTION_LOST = /connection|timeout|not queryable/i;

const ATTEMPTS = 5;

/** Runs work again when the server gave it up because two transactions waited for each other. */
export async function retryDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}

/** Whether the server gave up one of two transactions that waited for each other: it can be run again. */
export function isDeadlock(error: unknown): boolean {
  const cause = error instanceof ProjectionFailedError ? error.cause : error;
  return cause instanceof pg.DatabaseError && (cause.code === "40P01" || cause.code === "40001");
}

/** The journal's own error for what Postgres or the way to it reported; anything else comes back as it is. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof JournalError) return error;
  if (error instanceof pg.DatabaseError) {
    if (error.code === DISK_FULL) return new DiskFullError(WHERE, error);
    return isUnavailable(error) ? new StorageUnavailableError(WHERE, error) : error;
  }
  return isConnectionError(error) ? new StorageUnavailableError(WHERE, error) : error;
}

function isUnavailable({ code = "", severity }: pg.DatabaseError): boolean {
  return UNAVAILABLE.test(code) || (SESSION_ENDED.test(code) && severity !== "ERROR");
}

function isConnectionError(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  if (!(error instanceof Error)) return false;
  // System errors (ECONNREFUSED, EPIPE, …) carry the call that failed; pg's own are known by their text.
  return "syscall" in error || (error.constructor === Error && CONNECTION_LOST.test(error.message));
}
