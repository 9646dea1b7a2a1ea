import { Command } from "commander";
import { commandGroup } from "../../command-group.ts";
import { jsonOption, wholeNumber } from "../../option-values.ts";
import { serverOption } from "../../server-address.ts";
import type { DeadLetterOptions, ReplayDeadLetterOptions } from "./dead-letters.ts";

/** `parley webhooks`: undelivered notifications. */
export function webhooksCommand(): Command {
  const list = new Command("list")
    .description("list your tasks' undelivered notifications, newest first, and why they failed")
    .option("--task <id>", "only for this task")
    .option("--limit <n>", "at most this many, up to 1000", wholeNumber(0), 100)
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (options: DeadLetterOptions) =>
      (await import("./dead-letters.ts")).listDeadLetters(options),
    );
  const replay = new Command("replay")
    .summary("resend undelivered notifications")
    .description("Resend undelivered notifications: all of a task, of one of its webhooks, or just one.")
    .argument("<task>", "the task's id, as listed")
    .option("--webhook <id>", "only for this webhook")
    .option("--index <n>", "only this one", wholeNumber(0))
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (task: string, options: ReplayDeadLetterOptions) =>
      (await import("./dead-letters.ts")).replayDeadLetters(task, options),
    );
  return commandGroup("webhooks", list)
    .description("list and resend undelivered webhook notifications")
    .addCommand(replay)
    .addHelpText("after", "\nExamples:\n  parley webhooks\n  parley webhooks replay 4f6c1d…");
}
