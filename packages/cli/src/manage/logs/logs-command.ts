import { Command, InvalidArgumentError, Option } from "commander";
import { LOG_LEVELS } from "./log-levels.ts";
import type { LogsOptions } from "./show-logs.ts";
import { sinceTime } from "./since-time.ts";

/** `parley logs`: what the server wrote into its log. */
export function logsCommand(): Command {
  return new Command("logs")
    .summary("what the server logged")
    .description("Shows the log that the server keeps in its data folder; the server need not run.")
    .option("-f, --follow", "go on with what is logged from now on, until Ctrl-C")
    .addOption(new Option("--level <level>", "this level and above").choices(LOG_LEVELS).default("trace"))
    .option("--since <time>", "from then on: 90s, 15m, 1h, 2d, or a date", since)
    .option("-n, --lines <number>", "the last so many (200, unless there is --since)", wholeNumber)
    .option("--json", "the lines as they are: JSON")
    .option("--data <folder>", "the data folder (PARLEY_DATA)")
    .addHelpText(
      "after",
      `
Examples:
  parley logs --level warn --since 1h
  parley logs -f
  parley logs --json | jq 'select(.agent == "files")'`,
    )
    .action(async (options: LogsOptions) => (await import("./show-logs.ts")).showLogs(options));
}

function since(text: string): number {
  const time = sinceTime(text, Date.now());
  if (time !== undefined) return time;
  throw new InvalidArgumentError("It is like 90s, 15m, 1h, 2d, or 2026-01-31T12:00.");
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
