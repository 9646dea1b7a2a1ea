import { connected, type ServerOptions } from "../../server-address.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { sessionId } from "./session-id.ts";

export interface ForkOptions extends ServerOptions {
  readonly at?: string;
  readonly event?: number;
  readonly title?: string;
  readonly json?: boolean;
}

export async function forkSession(given: string, options: ForkOptions): Promise<void> {
  const { at, event, title } = options;
  const client = await connected(options);
  const forked = await client.forkSession(await sessionId(client, given), {
    ...(at !== undefined && { messageId: at }),
    ...(event !== undefined && { eventIndex: event }),
    ...(title !== undefined && { title }),
  });
  await (options.json ? printJson(forked) : printText(forked.session.id));
}

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
