import { EventsTrimmedError, IndexBeyondHeadError } from "@parley/journal";

/** The cursor leads nowhere: it is from another history, or what followed it is gone. The reader begins anew. */
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

/** The journal's word on a cursor as one that a client can act on; any other error comes back as it is. */
export function asCursorReset(error: unknown, advice: string): unknown {
  if (error instanceof IndexBeyondHeadError) return new CursorResetError("future", advice);
  if (error instanceof EventsTrimmedError) return new CursorResetError("trimmed", advice);
  return error;
}
