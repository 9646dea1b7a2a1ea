import { InvalidArgumentError, Option } from "commander";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `--json`, for commands that print one document. */
export function jsonOption(description = "print JSON"): Option {
  return new Option("--json", description);
}

/** Collects the values of an option that may be repeated. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Parses a whole number of at least `min`. */
export function wholeNumber(min: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= min) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number${min > 0 ? ` of at least ${min}` : ""}.`);
  };
}

/** Parses a positive number of seconds. */
export function seconds(max: number): (text: string) => number {
  return (text) => {
    if (Number(text) > 0 && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a number of seconds, at most ${max}.`);
  };
}

/** Parses a time in the past: 15m (ago) or a date; milliseconds since 1970. */
export function pastTime(text: string, now = Date.now()): number {
  const [, amount = "", unit = ""] = /^(\d{1,9}(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  const time = unit === "" ? date : now - Number(amount) * (UNITS[unit] ?? 0);
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError("It must be like 90s, 15m, 2h, 1d or 2026-01-31T12:00.");
}
