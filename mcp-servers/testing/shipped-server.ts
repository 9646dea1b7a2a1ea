import { join } from "node:path";
import { McpServers, type ToolResult } from "@parley/agent";
import { onTestFinished } from "vitest";

/** One of our servers, running as it runs for an agent, until the test ends. */
export interface ShippedServer {
  readonly servers: McpServers;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolResult>;
}

/** Starts `NAME/main.ts` with these arguments and variables, as the server `it`. */
export async function shippedServer(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ShippedServer> {
  const folder = join(import.meta.dirname, "..");
  const configuration = {
    transport: "stdio",
    command: "node",
    args: [join(folder, name, "main.ts"), ...args],
    env,
    cwd: folder,
  } as const;
  const servers = new McpServers({ it: configuration }, { fetch });
  onTestFinished(() => servers.stop());
  await servers.start();
  const [status] = servers.status();
  if (status?.state.phase !== "ready") throw new Error(`${name} is ${JSON.stringify(status?.state)}`);
  return { servers, call: (tool, input = {}) => servers.call(`it__${tool}`, input) };
}
