/** Facts of a log line, for programs; none of them may be a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where log lines go, by how much they matter; pino's loggers are such. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Says nothing. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
