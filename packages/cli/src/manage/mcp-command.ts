import { Command } from "commander";
import { commandGroup } from "../command-group.ts";
import { jsonOption } from "../option-values.ts";
import { connect, type PrintOptions, type ServerOptions, serverOption } from "../server-address.ts";
import { oneLine } from "../terminal/plain-text.ts";
import { styled } from "../terminal/print.ts";
import { printList } from "../terminal/print-list.ts";

/** `parley mcp`: the MCP servers of agents, and Parley as an MCP server. */
export function mcpCommand(): Command {
  const list = new Command("list")
    .description("list the MCP servers of all agents, with their state and tools")
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(listMcpServers);
  const stdio = new Command("stdio")
    .summary("serve Parley over MCP on standard input and output")
    .description(
      "Serve MCP on standard input and output, for clients that start a program, such as Claude Desktop; messages go to a running Parley.",
    )
    .addOption(serverOption())
    .action(async (options: ServerOptions) => (await import("./bridge-mcp.ts")).bridgeMcp(options));
  return commandGroup("mcp", list)
    .addCommand(stdio)
    .description("list the MCP servers of agents, or use Parley as one");
}

/** Prints the MCP servers of all agents; one that is down is listed with its reason. */
async function listMcpServers(options: PrintOptions): Promise<void> {
  const { agents } = await (await connect(options)).readSettings();
  const servers = agents.flatMap(({ name, mcpServers }) =>
    mcpServers.map((server) => ({ agent: name, ...server })),
  );
  const rows = servers.map(({ agent, server, state, tools, reason }) => [
    agent,
    oneLine(server, 60),
    styled(state === "ready" ? "green" : "red", state),
    reason === undefined ? oneLine(tools.join(", "), 200) : oneLine(reason, 300),
  ]);
  const empty = "No agent uses an MCP server; add one to mcp.json and to an agent's file";
  await printList(options, { servers }, { head: ["agent", "server", "state", "tools"], rows, empty });
}
