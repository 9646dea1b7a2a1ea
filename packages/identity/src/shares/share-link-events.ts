import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { WorkspaceUser } from "../identity.ts";
import { streamNames } from "../people/people-events.ts";

/** What happens to the links to a session. */
export type ShareEvent =
  | ({
      readonly type: "share_made";
      readonly id: string;
      /** Hash of the token: reading the record opens no link. */
      readonly hash: string;
      readonly expiresAt?: number | undefined;
    } & WorkspaceUser)
  | { readonly type: "share_revoked"; readonly id: string };

/** The stream of the links to a session. */
export const [sharesStream, sharedSessionIn] = streamNames("shares/");

/** Writes what happened to a session's links into their table. */
export async function applyShares(
  transaction: SqlRunner,
  sessionId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const { payload, at } of events) {
    const event = payload as ShareEvent;
    if (event.type === "share_revoked") {
      await transaction.query("DELETE FROM session_shares WHERE share_id = $1 AND session_id = $2", [
        event.id,
        sessionId,
      ]);
      continue;
    }
    const { id, hash, owner, workspace, expiresAt = null } = event;
    await transaction.query(
      `INSERT INTO session_shares (share_id, token_hash, session_id, owner, workspace, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, hash, sessionId, owner, workspace, at, expiresAt],
    );
  }
}
