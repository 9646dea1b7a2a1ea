import { resolve } from "node:path";
import { StartError } from "./start-error.ts";
import { type LogLevel, logLevel } from "./telemetry/logger.ts";

/** What an operator can set. */
export interface Configuration {
  readonly port: number;
  /** Loopback only: there is no login yet. */
  readonly host: "127.0.0.1";
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  readonly logLevel: LogLevel;
}

/** Reads the environment; throws a `StartError` that says what is wrong with it. */
export function readConfiguration(environment: NodeJS.ProcessEnv): Configuration {
  const port = environment.PORT || "8000";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new StartError(`PORT must be a number from 0 to 65535, not ${JSON.stringify(port)}`);
  }
  const folder = environment.PARLEY_DATA || ".parley";
  if (folder.startsWith("~")) {
    throw new StartError(
      `PARLEY_DATA begins with ~, which only a shell replaces: write the whole path, not ${folder}`,
    );
  }
  return {
    port: Number(port),
    host: "127.0.0.1",
    dataFolder: resolve(folder),
    // A person at a terminal wants to see what is wrong; a program that gathers logs, what happens.
    logLevel: logLevel(environment.PARLEY_LOG, process.stderr.isTTY ? "warn" : "info"),
  };
}
