import { Command } from "commander";
import { listingGroup } from "../listing-group.ts";
import { type ServerOptions, serverOption } from "../server-address.ts";

/** `parley mcp`: the servers that give agents their tools, and Parley as such a server. */
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
  const stdio = new Command("stdio")
    .summary("Parley as an MCP server, for clients that start a program")
    .description(
      "Speaks MCP on standard input and output, for clients that only start programs, such as Claude Desktop: what they say goes to a running Parley.",
    )
    .addOption(serverOption())
    .action(async (options: ServerOptions) => (await import("./bridge-mcp.ts")).bridgeMcp(options));
  return listingGroup("mcp", list)
    .addCommand(stdio)
    .summary("the MCP servers that agents use, and Parley as one")
    .description("Shows the MCP servers that give agents their tools, and is one itself.");
}
