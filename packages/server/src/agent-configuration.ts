import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Configuration, portNumber } from "./configuration.ts";
import { StartError } from "./start-error.ts";

const USAGE = "npm run agent -- FILE [--port N] [--data FOLDER]";

/** The arguments of `npm run agent`. */
export interface AgentArguments {
  /** Absolute path. */
  readonly file: string;
  /** Overrides the port in the file. */
  readonly port: number | undefined;
  readonly dataFolder: string | undefined;
}

/** Parses the command line, with paths relative to this folder; throws a `StartError`. */
export function agentArguments(args: readonly string[], from: string): AgentArguments {
  const { positionals, values } = parsed(args);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new StartError(`One agent file is required: ${USAGE}`);
  const { port, data } = values;
  return {
    file: resolve(from, file),
    port: port === undefined ? undefined : portNumber(port, "--port"),
    dataFolder: data === undefined ? undefined : resolve(from, data),
  };
}

/** The configuration for a single agent, with a data folder of its own. */
export function agentConfiguration(
  configuration: Configuration,
  { file, dataFolder }: AgentArguments,
): Configuration {
  const own = join(configuration.dataFolder, "agents", basename(file, ".md"));
  return {
    ...configuration,
    // It cannot authenticate callers.
    host: "127.0.0.1",
    agentsFolder: dirname(file),
    dataFolder: dataFolder ?? own,
    databaseUrl: undefined,
    node: undefined,
  };
}

function parsed(args: readonly string[]) {
  try {
    const options = { port: { type: "string" }, data: { type: "string" } } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new StartError(`${(error as Error).message.split(". ", 1)[0]}: ${USAGE}`);
  }
}
