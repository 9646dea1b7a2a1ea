import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { StartError } from "./start-error.ts";

const USAGE = "npm start -- [--database URL] [--port N] [--data FOLDER] [--agents FOLDER] [--insecure]";
const OPTIONS = {
  database: { type: "string" },
  port: { type: "string" },
  data: { type: "string" },
  agents: { type: "string" },
  insecure: { type: "boolean" },
} as const;

/** What the command line of `npm start` names, as settings that come before the environment's; paths are meant from this folder. */
export function platformArguments(args: readonly string[], from: string): Readonly<Record<string, string>> {
  const { database, port, data, agents, insecure } = parsed(args);
  return {
    ...(database !== undefined && { DATABASE_URL: database }),
    ...(port !== undefined && { PORT: port }),
    ...(data !== undefined && { PARLEY_DATA: resolve(from, data) }),
    ...(agents !== undefined && { PARLEY_AGENTS: resolve(from, agents) }),
    // Others may reach it, and need not show who they are: that is said where it is started, and in no file.
    ...(insecure && { PARLEY_AUTH: "insecure" }),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch {
    // What was given may hold a password: it is not repeated.
    throw new StartError(`These are no arguments of Parley's: ${USAGE}`);
  }
}
