import { type ApiClient, emptyRecord, evolveRecord, type SessionRecord } from "@parley/client";
import { readEvents } from "./followed-events.ts";

/** A session as its events so far tell; a `CommandError` where there is none. */
export async function recordOf(client: ApiClient, sessionId: string): Promise<SessionRecord> {
  let record = emptyRecord(sessionId);
  for await (const event of readEvents(client, sessionId)) record = evolveRecord(record, event);
  return record;
}
