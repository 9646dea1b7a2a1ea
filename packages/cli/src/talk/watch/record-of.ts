import { type ApiClient, emptyRecord, recordFold, type SessionRecord } from "@parley/client";
import { readEvents } from "./followed-events.ts";

/** A session as its events so far tell; a `CommandError` where there is none. */
export async function recordOf(client: ApiClient, sessionId: string): Promise<SessionRecord> {
  let record = emptyRecord(sessionId);
  const evolve = recordFold();
  for await (const event of readEvents(client, sessionId)) record = evolve(record, event);
  return record;
}
