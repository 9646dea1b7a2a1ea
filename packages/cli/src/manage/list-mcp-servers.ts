import { connected, type ServerOptions } from "../server-address.ts";
import { oneLine } from "../terminal/plain-text.ts";
import { printJson, printText, styled, tell } from "../terminal/print.ts";
import { table } from "../terminal/table.ts";

const HEAD = ["agent", "server", "state", "tools"];

/** Prints the MCP servers of all agents; one that is down comes with its reason. */
export async function listMcpServers(options: ServerOptions & { readonly json?: boolean }): Promise<void> {
  const { agents } = await (await connected(options)).readSettings();
  const servers = agents.flatMap(({ name, mcpServers }) =>
    mcpServers.map((server) => ({ agent: name, ...server })),
  );
  if (options.json) return printJson({ servers });
  if (servers.length === 0)
    return tell("No agent uses an MCP server: name one in mcp.json and in an agent's file");
  const rows = servers.map(({ agent, server, state, tools, reason }) => [
    agent,
    oneLine(server, 60),
    state === "ready" ? styled("green", state) : styled("red", state),
    reason === undefined ? oneLine(tools.join(", "), 200) : oneLine(reason, 300),
  ]);
  await printText(table(HEAD, rows));
}
