import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type EgressPolicy, parseCidrList } from "@parley/a2a";
import { defaultModelName, type Environment, withEnvironmentFile } from "@parley/agent";
import { type DataPlace, dataPlace } from "./data-place.ts";
import { type OidcSettings, oidcSettings } from "./oidc-settings.ts";
import { StartError } from "./start-error.ts";
import { type LogLevel, logLevel } from "./telemetry/logger.ts";

/** The agents that come with Parley. */
const AGENTS = fileURLToPath(new URL("../../../agents", import.meta.url));

/** What an operator can set. */
export interface Configuration extends DataPlace {
  readonly port: number;
  /** Loopback only: there is no login yet. */
  readonly host: "127.0.0.1";
  readonly logLevel: LogLevel;
  /** Absolute path of the folder with the agents' files. */
  readonly agentsFolder: string;
  /** The model of agents that name none. */
  readonly model: string;
  /** Blocks that webhooks may reach although private: `PARLEY_EGRESS_ALLOW`. */
  readonly egress: EgressPolicy;
  /** How many commands a second one user may send to the API in the long run; 0: any number. */
  readonly commandsPerSecond: number;
  /** The provider that says who people are; undefined: nobody signs in. */
  readonly oidc?: OidcSettings | undefined;
  /** The environment, completed by `.env`. */
  readonly environment: Environment;
}

/** Reads the environment; throws a `StartError` that says what is wrong with it. */
export async function readConfiguration(given: NodeJS.ProcessEnv): Promise<Configuration> {
  const environment = await withEnvironmentFile(given, resolve(".env"));
  return {
    port: portNumber(environment.PORT || "8000", "PORT"),
    host: "127.0.0.1",
    ...dataPlace(environment),
    // A person at a terminal wants to see what is wrong; a program that gathers logs, what happens.
    logLevel: logLevel(environment.PARLEY_LOG, process.stderr.isTTY ? "warn" : "info"),
    agentsFolder: resolve(environment.PARLEY_AGENTS || AGENTS),
    model: defaultModelName(environment),
    egress: { allow: allowedBlocks(environment.PARLEY_EGRESS_ALLOW) },
    commandsPerSecond: commandsPerSecond(environment.PARLEY_RATE || "100"),
    oidc: oidcSettings(environment),
    environment,
  };
}

/** Reads a port; throws a `StartError` that names the setting. */
export function portNumber(text: string, setting: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new StartError(`${setting} must be a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

function commandsPerSecond(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new StartError(
    `PARLEY_RATE must be a number of commands a second, or 0 for any number, not ${JSON.stringify(text)}`,
  );
}

function allowedBlocks(text = ""): NonNullable<EgressPolicy["allow"]> {
  try {
    return parseCidrList(text);
  } catch (error) {
    throw new StartError(`PARLEY_EGRESS_ALLOW cannot be read: ${(error as Error).message}`);
  }
}
