import { Command, InvalidArgumentError, Option } from "commander";
import { LOG_LEVELS, type LogsOptions } from "./show-logs.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The time that a person means by 15m (ago) or by a date; undefined where it is neither. */
export function sinceTime(text: string, now: number): number | undefined {
  const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  if (unit !== "") return now - Number(amount) * (UNITS[unit] ?? 0);
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

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
