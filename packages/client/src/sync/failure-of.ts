import { ApiError } from "../api/api-error.ts";
import type { Failure } from "./sync-event.ts";

/** An error as the state holds it: data that can be kept and shown. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: "client", status: 0, message, isTransient: false };
  }
  const { code, status, message, field, isTransient, retryAfterMs } = error;
  return {
    code,
    status,
    message,
    isTransient,
    ...(field !== undefined && { field }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
