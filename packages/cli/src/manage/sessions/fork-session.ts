import { connected, type ServerOptions } from "../../server-address.ts";
import { print, printJson } from "../../terminal/print.ts";
import { sessionId } from "./session-id.ts";

export interface ForkOptions extends ServerOptions {
  readonly at?: string;
  readonly event?: number;
  readonly title?: string;
  readonly json?: boolean;
}

/** Forks a session and prints the fork's id. */
export async function forkSession(given: string, options: ForkOptions): Promise<void> {
  const { at, event, title } = options;
  const client = await connected(options);
  const forked = await client.forkSession(await sessionId(client, given), {
    ...(at !== undefined && { messageId: at }),
    ...(event !== undefined && { eventIndex: event }),
    ...(title !== undefined && { title }),
  });
  await (options.json ? printJson(forked) : print(forked.session.id));
}
