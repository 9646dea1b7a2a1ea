import { existsSync } from "node:fs";
import { runSoleAgent } from "@parley/server";
import { CommandError, EXIT } from "../command-error.ts";
import { fromHere } from "../from-here.ts";

/** Serves one agent's file until it is stopped. */
export async function hostAgent(
  file: string,
  { port, data }: { readonly port?: string; readonly data?: string },
): Promise<never> {
  if (!existsSync(fromHere(file)))
    throw new CommandError(`There is no file ${file}: name an agent's Markdown file`, EXIT.usage);
  const options = [
    ...(port === undefined ? [] : ["--port", port]),
    ...(data === undefined ? [] : ["--data", data]),
  ];
  return runSoleAgent([file, ...options], process.env);
}
