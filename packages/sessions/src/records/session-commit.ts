import type { RecordedEvent } from "@parley/journal";
import type { SessionEvent } from "../domain/session-event.ts";
import type { AddedMessage } from "./message-table.ts";
import type { SessionRow } from "./session-row.ts";

/** What one commit adds to a session, without tokens. */
export interface SessionCommit {
  /** Whether the session begins with it. */
  readonly isNew: boolean;
  readonly before: SessionRow;
  readonly after: SessionRow;
  readonly events: readonly RecordedEvent<SessionEvent>[];
  readonly messages: readonly AddedMessage[];
}
