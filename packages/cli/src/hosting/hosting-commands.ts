import { Command, InvalidArgumentError } from "commander";
import type { AgentHostOptions, UpOptions } from "./host.ts";

/** `parley up` and `parley agent`: what runs until it is stopped. */
export function hostingCommands(): readonly Command[] {
  const up = new Command("up")
    .summary("run the platform, as npm start does")
    .description("Runs the platform: the supervisor, its agents, the record and the web client.")
    .option("--agents <folder>", "the folder with the agents' files and mcp.json (PARLEY_AGENTS)")
    .option("--port <number>", "the main port (PORT)", port)
    .option("--data <folder>", "the data folder (PARLEY_DATA)")
    .option("--database <url>", "the Postgres that keeps the journal (DATABASE_URL)")
    .option("--insecure", "let everybody in who can reach it, beyond this machine too")
    .action(async (options: UpOptions) => (await import("./host.ts")).up(options));
  const agent = new Command("agent")
    .summary("host one agent alone")
    .description("Serves one agent's file by A2A, in a process of its own with its own data.")
    .argument("<file>", "the agent's Markdown file")
    .option("--port <number>", "instead of the one in the file", port)
    .option("--data <folder>", "the data folder")
    .action(async (file: string, options: AgentHostOptions) =>
      (await import("./host.ts")).hostAgent(file, options),
    );
  return [up, agent];
}

function port(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError("It is a number from 0 to 65535.");
}
