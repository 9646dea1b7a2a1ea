import { runPlatform } from "@parley/server";
import { fromHere } from "../from-here.ts";

/** Runs the platform until it is stopped; what the command line names comes before the environment. */
export function up(options: {
  readonly agents?: string;
  readonly port?: string;
  readonly data?: string;
  readonly database?: string;
  readonly insecure?: boolean;
}): Promise<never> {
  const { agents, port, data, database, insecure } = options;
  return runPlatform({
    ...process.env,
    ...(agents !== undefined && { PARLEY_AGENTS: fromHere(agents) }),
    ...(port !== undefined && { PORT: port }),
    ...(data !== undefined && { PARLEY_DATA: fromHere(data) }),
    ...(database !== undefined && { DATABASE_URL: database }),
    ...(insecure && { PARLEY_AUTH: "insecure" }),
  });
}
