import { CommandError } from "../../command-error.ts";
import { connected, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { shownTime } from "../../terminal/shown-time.ts";
import { table } from "../../terminal/table.ts";

const HEAD = ["task", "webhook", "index", "given up", "tries", "receiver", "error"];

export interface DeadLetterOptions {
  readonly task?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Prints the notifications that were given up, and how to send them again. */
export async function listDeadLetters(options: ServerOptions & DeadLetterOptions): Promise<void> {
  const { task, limit, json } = options;
  const client = await connected(options);
  const { deadLetters } = await client.listDeadLetters({
    limit,
    ...(task !== undefined && { taskId: task }),
  });
  if (json) return printJson({ deadLetters });
  if (deadLetters.length === 0) return tell("No notification was given up");
  const rows = deadLetters.map(({ taskId, webhookId, index, diedAt, tries, receiver, error }) => [
    ...[oneLine(taskId, 150), oneLine(webhookId, 60), String(index), shownTime(diedAt), String(tries)],
    ...[oneLine(receiver, 80), oneLine(error, 200)],
  ]);
  await printText(table(HEAD, rows));
  tell("parley webhooks replay TASK sends those of a task again");
}

export interface ReplayDeadLetterOptions {
  readonly webhook?: string;
  readonly index?: number;
  readonly json?: boolean;
}

/** Sends notifications again; a `CommandError` where none of these was given up. */
export async function replayDeadLetters(
  taskId: string,
  { webhook, index, json, ...server }: ServerOptions & ReplayDeadLetterOptions,
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
  await printText(replayed === 1 ? "1 is sent again\n" : `${replayed} are sent again\n`);
}
