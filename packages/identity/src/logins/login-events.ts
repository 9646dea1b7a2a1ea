import type { RecordedEvent, SqlRunner } from "@parley/journal";
import { streamNames } from "../people/people-events.ts";

/** What happens to a login. */
export type LoginEvent =
  | {
      readonly type: "signed_in";
      readonly userId: string;
      /** Hash of the cookie's secret: reading the journal signs nobody in. */
      readonly secretHash: string;
      readonly checkAt: number;
      readonly endsAt: number;
      /** The provider's refresh token, sealed with the cookie's secret. */
      readonly sealed?: string | undefined;
    }
  | { readonly type: "confirmed"; readonly checkAt: number; readonly sealed?: string | undefined }
  | { readonly type: "signed_out" };

export const [loginStream, loginIdIn] = streamNames("login/");

/** Writes what happened to a login into the table. */
export async function applyLogins(
  transaction: SqlRunner,
  loginId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const { payload } of events) {
    const event = payload as LoginEvent;
    switch (event.type) {
      case "signed_in":
        await transaction.query(
          `INSERT INTO people_logins (login_id, user_id, secret_hash, sealed, check_at, ends_at)
           VALUES ($1, $2, $3, $4, $5, $6)`,
          [loginId, event.userId, event.secretHash, event.sealed ?? null, event.checkAt, event.endsAt],
        );
        break;
      case "confirmed":
        await transaction.query("UPDATE people_logins SET check_at = $2, sealed = $3 WHERE login_id = $1", [
          loginId,
          event.checkAt,
          event.sealed ?? null,
        ]);
        break;
      case "signed_out":
        await transaction.query("DELETE FROM people_logins WHERE login_id = $1", [loginId]);
        break;
    }
  }
}
