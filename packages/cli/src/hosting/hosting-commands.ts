import { Command, InvalidArgumentError } from "commander";
import type { AgentHostOptions, UpOptions } from "./host.ts";

/** `parley up` and `parley agent`: servers that run until they are stopped. */
export function hostingCommands(): readonly Command[] {
  const up = new Command("up")
    .summary("run the platform, like npm start")
    .description("Run the platform: the supervisor, its agents, the session record and the web client.")
    .option("--agents <folder>", "the folder with agent files and mcp.json (PARLEY_AGENTS)")
    .option("--port <number>", "the main port (PORT)", port)
    .option("--data <folder>", "the data folder (PARLEY_DATA)")
    .option("--database <url>", "the Postgres database for the journal (DATABASE_URL)")
    .option("--insecure", "require no login, even from other machines")
    .action(async (options: UpOptions) => (await import("./host.ts")).up(options));
  const agent = new Command("agent")
    .summary("run a single agent")
    .description("Serve one agent file over A2A, in its own process with its own data.")
    .argument("<file>", "the agent's Markdown file")
    .option("--port <number>", "overrides the port in the file", port)
    .option("--data <folder>", "the data folder")
    .action(async (file: string, options: AgentHostOptions) =>
      (await import("./host.ts")).hostAgent(file, options),
    );
  return [up, agent];
}

function port(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}
