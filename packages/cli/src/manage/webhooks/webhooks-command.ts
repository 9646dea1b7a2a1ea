import { Command, InvalidArgumentError } from "commander";
import { listingGroup } from "../../listing-group.ts";
import { type ServerOptions, serverOption } from "../../server-address.ts";
import type { DeadLetterOptions, ReplayDeadLetterOptions } from "./dead-letters.ts";

/** `parley webhooks`: what webhooks could not deliver. */
export function webhooksCommand(): Command {
  const list = new Command("list")
    .summary("notifications that were given up, the newest first")
    .description("Lists notifications of your tasks that no try could deliver, and why.")
    .option("--task <id>", "only of this task")
    .option("--limit <n>", "how many at most, up to 1000", wholeNumber, 100)
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (options: ServerOptions & DeadLetterOptions) =>
      (await import("./dead-letters.ts")).listDeadLetters(options),
    );
  const replay = new Command("replay")
    .summary("send them again")
    .description("Sends again what was given up: all of a task, of one of its webhooks, or just one.")
    .argument("<task>", "the task's id, as list shows it")
    .option("--webhook <id>", "only of this webhook")
    .option("--index <n>", "only this one", wholeNumber)
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (task: string, options: ServerOptions & ReplayDeadLetterOptions) =>
      (await import("./dead-letters.ts")).replayDeadLetters(task, options),
    );
  return listingGroup("webhooks", list)
    .summary("notifications that were given up")
    .description("Shows what webhooks could not deliver, and sends it again.")
    .addCommand(replay)
    .addHelpText("after", "\nExamples:\n  parley webhooks\n  parley webhooks replay 4f6c1d…");
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError("It is a whole number.");
}
