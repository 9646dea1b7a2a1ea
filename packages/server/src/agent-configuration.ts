import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Configuration, portNumber } from "./configuration.ts";
import { StartError } from "./start-error.ts";

const USAGE = "npm run agent -- FILE [--port N] [--data FOLDER]";

/** What `npm run agent` was told. */
export interface AgentArguments {
  /** Absolute path of the agent's file. */
  readonly file: string;
  /** Instead of the one in the file. */
  readonly port: number | undefined;
  /** Absolute path of the data folder. */
  readonly dataFolder: string | undefined;
}

/** Reads the command line, with paths from this folder; throws a `StartError` that says what is wrong with it. */
export function agentArguments(args: readonly string[], from: string): AgentArguments {
  const { positionals, values } = parsed(args);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new StartError(`One agent's file is needed: ${USAGE}`);
  const { port, data } = values;
  return {
    file: resolve(from, file),
    port: port === undefined ? undefined : portNumber(port, "--port"),
    dataFolder: data === undefined ? undefined : resolve(from, data),
  };
}

/** The platform's configuration for one agent alone: its data is in a folder of its own, whatever the platform's is in. */
export function agentConfiguration(
  configuration: Configuration,
  { file, dataFolder }: AgentArguments,
): Configuration {
  const own = join(configuration.dataFolder, "agents", basename(file, ".md"));
  return {
    ...configuration,
    // It has no keys of its own to let others in by.
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
