import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError, EXIT } from "../../command-error.ts";
import { fromHere } from "../../from-here.ts";
import { printText, tell } from "../../terminal/print.ts";

/** The files of a project, and what they are called here: under its own name, .gitignore would count for this folder. */
const FILES: Readonly<Record<string, string>> = {
  "stock.md": "stock.md",
  "mcp.json": "mcp.json",
  "stock-server.mjs": "stock-server.mjs",
  "README.md": "README.md",
  ".env.example": "env.example",
  ".gitignore": "gitignore",
};

/** Makes a project in a folder, if none of its files is there yet, and says what to do next. */
export async function makeProject(given: string): Promise<void> {
  const folder = fromHere(given);
  const taken = Object.keys(FILES).filter((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
  if (taken.length > 0)
    throw new CommandError(`${given} has ${taken.join(", ")} already: choose another folder`, EXIT.usage);
  try {
    // Not `recursive`, with which Node never returns from places like /proc.
    if (!statSync(folder, { throwIfNoEntry: false })) mkdirSync(folder);
    for (const [name, source] of Object.entries(FILES))
      writeFileSync(join(folder, name), readFileSync(new URL(`template/${source}`, import.meta.url)), {
        flag: "wx",
      });
  } catch (error) {
    throw new CommandError(`${given} cannot be made (${(error as NodeJS.ErrnoException).code})`);
  }
  tell(`Made an agent, its MCP server and a README in ${given}. Next:`);
  await printText(`  ${parley()} up --agents ${quoted(given)}
  ${parley()} chat "How many apples are in stock?"`);
}

function parley(): string {
  return process.env.npm_lifecycle_event === "parley" ? "npm run parley --" : "parley";
}

function quoted(text: string): string {
  return /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
