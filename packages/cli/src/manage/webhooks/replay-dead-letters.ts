import { CommandError } from "../../command-error.ts";
import { connected, type ServerOptions } from "../../server-address.ts";
import { print, printJson } from "../../terminal/print.ts";

export interface ReplayOptions {
  readonly webhook?: string;
  readonly index?: number;
  readonly json?: boolean;
}

/** Sends notifications again; a `CommandError` where none of these was given up. */
export async function replayDeadLetters(
  taskId: string,
  { webhook, index, json, ...server }: ServerOptions & ReplayOptions,
): Promise<void> {
  const client = await connected(server);
  const { replayed } = await client.replayDeadLetters({
    taskId,
    ...(webhook !== undefined && { webhookId: webhook }),
    ...(index !== undefined && { index }),
  });
  if (replayed === 0)
    throw new CommandError("No such notification was given up: parley webhooks list shows those that were");
  if (json) return printJson({ replayed });
  await print(replayed === 1 ? "1 is sent again\n" : `${replayed} are sent again\n`);
}
