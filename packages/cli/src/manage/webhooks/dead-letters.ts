import { CommandError } from "../../command-error.ts";
import { defined } from "../../defined.ts";
import { connect, type PrintOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { printList } from "../../terminal/print-list.ts";
import { shownTime } from "../../terminal/shown-time.ts";

const HEAD = ["task", "webhook", "index", "failed", "tries", "receiver", "error"];

export interface DeadLetterOptions extends PrintOptions {
  readonly task?: string;
  readonly limit: number;
}

export interface ReplayDeadLetterOptions extends PrintOptions {
  readonly webhook?: string;
  readonly index?: number;
}

/** Prints the undelivered notifications, and how to resend them. */
export async function listDeadLetters(options: DeadLetterOptions): Promise<void> {
  const query = { limit: options.limit, ...defined({ taskId: options.task }) };
  const { deadLetters } = await (await connect(options)).listDeadLetters(query);
  const rows = deadLetters.map(({ taskId, webhookId, index, diedAt, tries, receiver, error }) => [
    oneLine(taskId, 150),
    oneLine(webhookId, 60),
    String(index),
    shownTime(diedAt),
    String(tries),
    oneLine(receiver, 80),
    oneLine(error, 200),
  ]);
  await printList(options, { deadLetters }, { head: HEAD, rows, empty: "All notifications were delivered" });
  if (!options.json && rows.length > 0) tell("Resend those of a task with: parley webhooks replay TASK");
}

/** Resends undelivered notifications. */
export async function replayDeadLetters(taskId: string, options: ReplayDeadLetterOptions): Promise<void> {
  const { webhook: webhookId, index, json } = options;
  const { replayed } = await (await connect(options)).replayDeadLetters({
    taskId,
    ...defined({ webhookId, index }),
  });
  if (replayed === 0)
    throw new CommandError('No undelivered notification matches; "parley webhooks list" lists them');
  if (json) return printJson({ replayed });
  await printText(`Resending ${replayed} ${replayed === 1 ? "notification" : "notifications"}`);
}
