import { join } from "node:path";
import { NO_JITTER } from "@parley/journal";
import { onTestFinished } from "vitest";
import { type McpServerConfigurations, McpServers, type McpServersOptions } from "../mcp-servers.ts";
import type { StdioServerConfiguration } from "../server-configuration.ts";
import type { McpServerEvent, ServerState } from "../server-state.ts";

/** The configuration of the scripted program in this mode. */
export function scripted(mode = "serve", argument = ""): StdioServerConfiguration {
  const program = join(import.meta.dirname, "scripted-program.ts");
  return {
    transport: "stdio",
    command: "node",
    args: [program, mode, argument],
    env: {},
    cwd: import.meta.dirname,
  };
}

/** Servers that are started, and stopped when the test ends, with all that was observed. */
export async function runningServers(
  configurations: McpServerConfigurations,
  options: Partial<McpServersOptions> = {},
): Promise<{ servers: McpServers; events: McpServerEvent[]; phases: (server: string) => string[] }> {
  const events: McpServerEvent[] = [];
  const servers = new McpServers(configurations, {
    fetch,
    restarts: { firstDelayMs: 20, maxDelayMs: 200, jitter: NO_JITTER },
    observer: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => servers.stop());
  await servers.start();
  const phases = (server: string) =>
    events.flatMap((event) => (event.type === "state" && event.server === server ? [event.state.phase] : []));
  return { servers, events, phases };
}

/** The state of a server. */
export function stateOf(servers: McpServers, server: string): ServerState | undefined {
  return servers.status().find((status) => status.server === server)?.state;
}
