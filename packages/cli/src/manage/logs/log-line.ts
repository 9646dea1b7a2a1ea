import { z } from "zod";
import { oneLine } from "../../terminal/one-line.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { styled } from "../../terminal/print.ts";
import { LOG_LEVELS, type LogLevel } from "./log-levels.ts";

const shape = z.looseObject({ level: z.enum(LOG_LEVELS), time: z.string(), msg: z.string().optional() });

/** A line of the log. */
export interface LogLine {
  readonly text: string;
  readonly level: LogLevel;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a line; undefined where it is none of ours, as one is that was cut off by a crash. */
export function readLogLine(text: string): LogLine | undefined {
  try {
    const { level, time, msg = "", service: _, ...fields } = shape.parse(JSON.parse(text));
    return { text, level, time: Date.parse(time), message: msg, fields };
  } catch {
    return undefined;
  }
}

/** A line for a person: when, how bad, what, and with what. */
export function shownLogLine({ level, time, message, fields }: LogLine): string {
  const { err, ...rest } = fields;
  const facts = Object.entries(rest).map(([name, value]) => `${name}=${shownValue(value)}`);
  const stack = stackOf(err);
  return [
    styled("dim", localTime(time)),
    COLOURED[level](level.toUpperCase().padEnd(5)),
    oneLine(message, 500),
    styled("dim", facts.join(" ")),
  ]
    .join(" ")
    .trimEnd()
    .concat(stack === "" ? "\n" : `\n${stack.replaceAll(/^/gm, "    ")}\n`);
}

const COLOURED: Readonly<Record<LogLevel, (text: string) => string>> = {
  trace: (text) => styled("dim", text),
  debug: (text) => styled("dim", text),
  info: (text) => styled("green", text),
  warn: (text) => styled("yellow", text),
  error: (text) => styled("red", text),
  fatal: (text) => styled(["red", "bold"], text),
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
