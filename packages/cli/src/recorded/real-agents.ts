import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommandError, EXIT } from "../command-error.ts";
import { fromHere } from "../from-here.ts";
import type { Recording } from "./recording.ts";

/** The files of a recording's agents in that folder, by name; a `CommandError` where there is none. */
export function realAgents({ agents, turns }: Recording, folder: string): Map<string, string> {
  const known = new Set([...agents.map(({ name }) => name), ...turns.map(({ agent }) => agent)]);
  const files = [...known].map((name) => [name, join(fromHere(folder), `${name}.md`)] as const);
  const found = new Map(files.filter(([, path]) => existsSync(path)));
  if (found.size > 0) return found;
  const names = [...known].map((name) => `${name}.md`).join(", ");
  throw new CommandError(
    `There is none of ${names} in ${folder}: name the agents' folder with --agents`,
    EXIT.usage,
  );
}
