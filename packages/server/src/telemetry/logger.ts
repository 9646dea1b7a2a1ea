import { type DestinationStream, destination, type Logger, pino } from "pino";
import { StartError } from "../start-error.ts";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** How much is logged: `PARLEY_LOG`. */
export type LogLevel = (typeof LEVELS)[number];

const SECRETS = [
  "authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "apiKey",
  "api_key",
  "credentials",
  "password",
  "secret",
  "token",
  "idempotency-key",
];
const DEPTHS = ["", "*", "*.*", "*.*.*"];
const REDACTED = DEPTHS.flatMap((depth) => SECRETS.map((name) => `${depth}["${name}"]`));

/** Reads the level from the environment's text; throws a `StartError` for what is none. */
export function logLevel(text: string | undefined, usual: LogLevel = "info"): LogLevel {
  if (!text) return usual;
  const level = LEVELS.find((it) => it === text.toLowerCase());
  if (level) return level;
  throw new StartError(`PARLEY_LOG must be one of ${LEVELS.join(", ")}, not ${JSON.stringify(text)}`);
}

/** Logs JSON lines, by default to standard error; members whose names promise a secret are never written. */
export function createLogger(level: LogLevel, out: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: { service: "parley" },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: "[secret]" },
    },
    out,
  );
}

// Written at once: what was logged last is what explains a crash.
function standardError(): DestinationStream {
  const stream = destination({ dest: 2, sync: true });
  // Whoever read our log may leave; that is no reason to end.
  stream.on("error", () => {});
  return stream;
}
