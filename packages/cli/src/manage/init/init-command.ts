import { Command } from "commander";

/** `parley init`: a folder to begin with. */
export function initCommand(): Command {
  return new Command("init")
    .summary("a folder with an agent and a tool server to begin with")
    .description(
      "Makes a folder with an agent, an MCP server of its own, mcp.json and a README; overwrites nothing.",
    )
    .argument("[folder]", "the new folder", "my-agents")
    .addHelpText("after", "\nExample:\n  parley init my-agents\n  parley up --agents my-agents")
    .action(async (folder: string) => (await import("./make-project.ts")).makeProject(folder));
}
