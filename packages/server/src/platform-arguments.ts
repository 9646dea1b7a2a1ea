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

/** The settings on the command line of `npm start`, which override the environment; paths are relative to this folder. */
export function platformArguments(args: readonly string[], from: string): Readonly<Record<string, string>> {
  const { database, port, data, agents, insecure } = parsed(args);
  return {
    ...(database !== undefined && { DATABASE_URL: database }),
    ...(port !== undefined && { PORT: port }),
    ...(data !== undefined && { PARLEY_DATA: resolve(from, data) }),
    ...(agents !== undefined && { PARLEY_AGENTS: resolve(from, agents) }),
    // Only possible on the command line, never in a file.
    ...(insecure && { PARLEY_AUTH: "insecure" }),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch {
    // Not quoted: the arguments may contain a password.
    throw new StartError(`Invalid arguments; usage: ${USAGE}`);
  }
}
