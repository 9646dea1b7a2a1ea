import { existsSync } from "node:fs";
import { logFilesOf } from "@parley/server/data";
import { z } from "zod";
import { CommandError } from "../../command-error.ts";
import { untilInterrupted } from "../../terminal/interruption.ts";
import { oneLine, plainText } from "../../terminal/plain-text.ts";
import { printText, styled } from "../../terminal/print.ts";
import { type DataOptions, dataPlaceOf } from "../data-place.ts";
import { LogFiles } from "./log-files.ts";

/** The log levels, least important first. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

type LogLevel = (typeof LOG_LEVELS)[number];

const shape = z.looseObject({ level: z.enum(LOG_LEVELS), time: z.string(), msg: z.string().optional() });

interface LogLine {
  readonly text: string;
  readonly level: LogLevel;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Parses a line; undefined where it is invalid, for example cut off by a crash. */
export function readLogLine(text: string): LogLine | undefined {
  try {
    const { level, time, msg = "", service: _, ...fields } = shape.parse(JSON.parse(text));
    return { text, level, time: Date.parse(time), message: msg, fields };
  } catch {
    return undefined;
  }
}

/** Formats a line for people: time, level, message and fields. */
export function shownLogLine({ level, time, message, fields }: LogLine): string {
  const { err, ...rest } = fields;
  const facts = Object.entries(rest).map(([name, value]) => `${name}=${shownValue(value)}`);
  const stack = stackOf(err);
  return [
    styled("dim", localTime(time)),
    styled(STYLES[level], level.toUpperCase().padEnd(5)),
    oneLine(message, 500),
    styled("dim", facts.join(" ")),
  ]
    .join(" ")
    .trimEnd()
    .concat(stack === "" ? "\n" : `\n${stack.replaceAll(/^/gm, "    ")}\n`);
}

const STYLES: Readonly<Record<LogLevel, Parameters<typeof styled>[0]>> = {
  trace: "dim",
  debug: "dim",
  info: "green",
  warn: "yellow",
  error: "red",
  fatal: ["red", "bold"],
};

function shownValue(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return oneLine(/\s/.test(text) && typeof value === "string" ? JSON.stringify(text) : text, 200);
}

function stackOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { stack, message } = error as { readonly stack?: unknown; readonly message?: unknown };
  return plainText(typeof stack === "string" ? stack : typeof message === "string" ? message : "");
}

function localTime(time: number): string {
  const at = new Date(time);
  if (Number.isNaN(time)) return "?";
  const local = new Date(time - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 23).replace("T", " ");
}

const DEFAULT_LINES = 200;

export interface LogsOptions extends DataOptions {
  readonly follow?: boolean;
  readonly level: LogLevel;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly lines?: number;
  readonly json?: boolean;
}

/** Prints the log of a data folder, and follows it if requested. */
export async function showLogs(options: LogsOptions): Promise<void> {
  const place = await dataPlaceOf(options);
  const { follow, json, since, lines = since === undefined ? DEFAULT_LINES : Infinity } = options;
  const paths = logFilesOf(place);
  if (!follow && !paths.some((path) => existsSync(path)))
    throw new CommandError(`No log in ${place.dataFolder}: start Parley, or use --data FOLDER`);
  const shown = (line: LogLine) => (json ? `${line.text}\n` : shownLogLine(line));
  const files = new LogFiles(paths);
  try {
    await printText((await last(lines, wanted(files.history(), options))).map(shown).join(""));
    if (!follow) return;
    using interrupted = untilInterrupted();
    for await (const line of wanted(files.appended(interrupted.signal), options))
      await printText(shown(line));
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
    // In large steps, so that each item moves at most once.
    if (kept.length > 2 * count + 1_000) kept.splice(0, kept.length - count);
  }
  return count === 0 ? [] : kept.slice(-count);
}
