import { connected, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/one-line.ts";
import { print, printJson, tell } from "../../terminal/print.ts";
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
  await print(table(HEAD, rows));
  tell("parley webhooks replay TASK sends those of a task again");
}
