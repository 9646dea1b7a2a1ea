import { existsSync } from "node:fs";
import { logFilesOf } from "@parley/server/data";
import { CommandError } from "../../command-error.ts";
import { interruption } from "../../terminal/interruption.ts";
import { print } from "../../terminal/print.ts";
import { type DataOptions, givenPlace } from "../data-place.ts";
import { LogFiles } from "./log-files.ts";
import { LOG_LEVELS, type LogLevel } from "./log-levels.ts";
import { type LogLine, readLogLine, shownLogLine } from "./log-line.ts";

const USUAL_LINES = 200;

export interface LogsOptions extends DataOptions {
  readonly follow?: boolean;
  readonly level: LogLevel;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly lines?: number;
  readonly json?: boolean;
}

/** Prints the log of a data folder, and goes on with it if that is wanted. */
export async function showLogs(options: LogsOptions): Promise<void> {
  const place = await givenPlace(options);
  const {
    follow = false,
    json = false,
    since,
    lines = since === undefined ? USUAL_LINES : Infinity,
  } = options;
  const paths = logFilesOf(place);
  if (!follow && !paths.some((path) => existsSync(path)))
    throw new CommandError(
      `There is no log in ${place.dataFolder}: start Parley, or name its data folder with --data FOLDER`,
    );
  const shown = (line: LogLine) => (json ? `${line.text}\n` : shownLogLine(line));
  const files = new LogFiles(paths);
  try {
    await print((await last(lines, wanted(files.history(), options))).map(shown).join(""));
    if (!follow) return;
    for await (const line of wanted(files.appended(interruption().signal), options)) await print(shown(line));
  } finally {
    await files.close();
  }
}

async function* wanted(
  lines: AsyncIterable<string>,
  { level, since = 0 }: LogsOptions,
): AsyncGenerator<LogLine> {
  const least = LOG_LEVELS.indexOf(level);
  for await (const text of lines) {
    const line = readLogLine(text);
    if (line && LOG_LEVELS.indexOf(line.level) >= least && line.time >= since) yield line;
  }
}

async function last<Item>(count: number, items: AsyncIterable<Item>): Promise<Item[]> {
  const kept: Item[] = [];
  for await (const item of items) {
    kept.push(item);
    // In large steps, so that each item is moved at most once.
    if (kept.length > 2 * count + 1_000) kept.splice(0, kept.length - count);
  }
  return count === 0 ? [] : kept.slice(-count);
}
