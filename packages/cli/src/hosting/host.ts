import { existsSync } from "node:fs";
import { runPlatform, runSoleAgent } from "@parley/server";
import { CommandError, EXIT } from "../command-error.ts";
import { fromHere } from "../from-here.ts";
import { givenPlace } from "../manage/data-place.ts";

export interface AgentHostOptions {
  readonly port?: string;
  readonly data?: string;
}

export interface UpOptions extends AgentHostOptions {
  readonly agents?: string;
  readonly database?: string;
  readonly insecure?: boolean;
}

/** Runs the platform until it is stopped; what the command line names comes before the environment. */
export async function up(options: UpOptions): Promise<never> {
  const { agents, port, data, database, insecure } = options;
  if (agents !== undefined && !existsSync(fromHere(agents)))
    throw new CommandError(
      `There is no folder ${agents}: "parley init ${agents}" makes one with an agent`,
      EXIT.usage,
    );
  // Said as a mistake of the command line, before anything is started.
  await givenPlace({ ...(data !== undefined && { data }), ...(database !== undefined && { database }) });
  return runPlatform({
    ...process.env,
    ...(agents !== undefined && { PARLEY_AGENTS: fromHere(agents) }),
    ...(port !== undefined && { PORT: port }),
    ...(data !== undefined && { PARLEY_DATA: fromHere(data) }),
    ...(database !== undefined && { DATABASE_URL: database }),
    ...(insecure && { PARLEY_AUTH: "insecure" }),
  });
}

/** Serves one agent's file until it is stopped. */
export async function hostAgent(file: string, { port, data }: AgentHostOptions): Promise<never> {
  if (!existsSync(fromHere(file)))
    throw new CommandError(`There is no file ${file}: name an agent's Markdown file`, EXIT.usage);
  const options = [
    ...(port === undefined ? [] : ["--port", port]),
    ...(data === undefined ? [] : ["--data", data]),
  ];
  return runSoleAgent([file, ...options], process.env);
}
