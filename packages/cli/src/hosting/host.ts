import { existsSync } from "node:fs";
import { runPlatform, runSoleAgent } from "@parley/server";
import { CommandError, EXIT } from "../command-error.ts";
import { defined } from "../defined.ts";
import { fromHere } from "../given-file.ts";
import { dataPlaceOf } from "../manage/data-place.ts";

export interface AgentHostOptions {
  readonly port?: string;
  readonly data?: string;
}

export interface UpOptions extends AgentHostOptions {
  readonly agents?: string;
  readonly database?: string;
  readonly insecure?: boolean;
}

/** Runs the platform until it is stopped; options take precedence over the environment. */
export async function up(options: UpOptions): Promise<never> {
  const { agents, port, data, database, insecure } = options;
  if (agents !== undefined && !existsSync(fromHere(agents)))
    throw new CommandError(`No such folder: ${agents}; "parley init ${agents}" creates one`, EXIT.usage);
  // Reports a wrong option as such, before anything is started.
  await dataPlaceOf(options);
  const given = {
    PARLEY_AGENTS: agents && fromHere(agents),
    PORT: port,
    PARLEY_DATA: data && fromHere(data),
    DATABASE_URL: database,
    PARLEY_AUTH: insecure ? "insecure" : undefined,
  };
  return runPlatform({ ...process.env, ...defined(given) });
}

/** Serves one agent file until it is stopped. */
export async function hostAgent(file: string, { port, data }: AgentHostOptions): Promise<never> {
  if (!existsSync(fromHere(file))) throw new CommandError(`No such agent file: ${file}`, EXIT.usage);
  const options = Object.entries(defined({ port, data })).flatMap(([name, value]) => [`--${name}`, value]);
  return runSoleAgent([file, ...options], process.env);
}
