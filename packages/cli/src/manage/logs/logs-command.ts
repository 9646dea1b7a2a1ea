import { Command, Option } from "commander";
import { jsonOption, pastTime, wholeNumber } from "../../option-values.ts";
import { LOG_LEVELS, type LogsOptions } from "./show-logs.ts";

/** `parley logs`: the server's log. */
export function logsCommand(): Command {
  return new Command("logs")
    .summary("show the server's log")
    .description("Show the log in the server's data folder; the server need not be running.")
    .option("-f, --follow", "keep printing new lines until Ctrl-C")
    .addOption(new Option("--level <level>", "this level and above").choices(LOG_LEVELS).default("trace"))
    .option("--since <time>", "since then: 90s, 15m, 1h, 2d, or a date", (text) => pastTime(text))
    .option("-n, --lines <number>", "the last N lines (default: 200, or all with --since)", wholeNumber(0))
    .addOption(jsonOption("print the lines as they are: JSON"))
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
