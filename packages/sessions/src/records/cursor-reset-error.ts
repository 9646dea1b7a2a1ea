import { EventsTrimmedError, IndexBeyondHeadError } from "@parley/journal";

/** The cursor is from another history, or what followed it is gone: the reader must start again. */
export class CursorResetError extends Error {
  override readonly name = "CursorResetError";
  readonly code = "cursor_reset";
  readonly reason: "future" | "trimmed";

  constructor(reason: CursorResetError["reason"], advice: string) {
    const why = {
      future: "The cursor is ahead of all that was recorded",
      trimmed: "What followed the cursor is no longer kept",
    };
    super(`${why[reason]}: ${advice}`);
    this.reason = reason;
  }
}

/** Translates the journal's errors about a cursor for clients; any other error is returned as it is. */
export function asCursorReset(error: unknown, advice: string): unknown {
  if (error instanceof IndexBeyondHeadError) return new CursorResetError("future", advice);
  if (error instanceof EventsTrimmedError) return new CursorResetError("trimmed", advice);
  return error;
}
