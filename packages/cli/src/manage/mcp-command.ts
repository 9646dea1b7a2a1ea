import { Command } from "commander";
import { listingGroup } from "../listing-group.ts";
import { type ServerOptions, serverOption } from "../server-address.ts";

/** `parley mcp`: the servers that give agents their tools. */
export function mcpCommand(): Command {
  const list = new Command("list")
    .summary("the MCP servers of all agents, with their tools")
    .description(
      "Lists the MCP servers of all agents: how each is, why it is down, and which tools it gives.",
    )
    .option("--json", "as JSON")
    .addOption(serverOption())
    .action(async (options: ServerOptions & { readonly json?: boolean }) =>
      (await import("./list-mcp-servers.ts")).listMcpServers(options),
    );
  return listingGroup("mcp", list)
    .summary("the MCP servers that agents use")
    .description("Shows the MCP servers that give agents their tools.");
}
