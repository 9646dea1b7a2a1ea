import { connected, type ServerOptions } from "../../server-address.ts";
import { tell } from "../../terminal/print.ts";
import { sessionId } from "./session-id.ts";

/** Deletes a session, or takes that back. */
export async function removeSession(
  given: string,
  change: "delete" | "restore",
  options: ServerOptions,
): Promise<void> {
  const client = await connected(options);
  const id = await sessionId(client, given, { deleted: change === "restore" });
  if (change === "restore") {
    await client.restoreSession(id);
    return tell(`${id} is back`);
  }
  await client.deleteSession(id);
  tell(`${id} is deleted: parley sessions restore ${id} takes that back, for 30 days`);
}
