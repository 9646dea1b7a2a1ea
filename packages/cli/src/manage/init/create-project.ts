import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError, EXIT } from "../../command-error.ts";
import { fileErrorReason, fromHere } from "../../given-file.ts";
import { printText, tell } from "../../terminal/print.ts";

/** The files of a project and of its template: under its own name, .gitignore would apply to the template. */
const FILES: Readonly<Record<string, string>> = {
  "stock.md": "stock.md",
  "mcp.json": "mcp.json",
  "stock-server.mjs": "stock-server.mjs",
  "README.md": "README.md",
  ".env.example": "env.example",
  ".gitignore": "gitignore",
};

/** Creates a project in a folder that has none of its files yet, and prints the next commands. */
export async function createProject(given: string): Promise<void> {
  const folder = fromHere(given);
  const taken = Object.keys(FILES).filter((name) => statSync(join(folder, name), { throwIfNoEntry: false }));
  if (taken.length > 0)
    throw new CommandError(
      `${given} already contains ${taken.join(", ")}; choose another folder`,
      EXIT.usage,
    );
  try {
    // Not `recursive`, with which Node never returns from places like /proc.
    if (!statSync(folder, { throwIfNoEntry: false })) mkdirSync(folder);
    for (const [name, source] of Object.entries(FILES)) {
      const content = readFileSync(new URL(`template/${source}`, import.meta.url));
      writeFileSync(join(folder, name), content, { flag: "wx" });
    }
  } catch (error) {
    throw new CommandError(`Cannot create ${given}: ${fileErrorReason(error)}`);
  }
  tell(`Created an agent, its MCP server and a README in ${given}. Next:`);
  const parley = process.env.npm_lifecycle_event === "parley" ? "npm run parley --" : "parley";
  const quoted = /^[\w./~-]+$/.test(given) ? given : `'${given.replaceAll("'", "'\\''")}'`;
  await printText(`  ${parley} up --agents ${quoted}\n  ${parley} chat "How many apples are in stock?"`);
}
