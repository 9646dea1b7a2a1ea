import { copyFile, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
/** A program that serves MCP, or fails in the way that its first argument names. */
const SCRIPTED = join(ROOT, "packages/agent/src/mcp/testing/scripted-program.ts");

/** For tests: an agent's file with these lines of front matter. */
export function agentFile(description: string, ...lines: readonly string[]): string {
  return ["---", `description: ${description}`, ...lines, "---", "", "You help.", ""].join("\n");
}

/** For tests: an `mcp.json` entry of the scripted program. */
export function scripted(mode: string, argument = ""): { command: string; args: string[] } {
  return { command: "node", args: [SCRIPTED, mode, argument] };
}

/** For tests: a folder of agents with these files and servers. */
export function agentsFolder(
  files: Readonly<Record<string, string>>,
  mcpServers: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return testFolder({ ...files, "mcp.json": JSON.stringify({ mcpServers }) });
}

/** For tests: a copy of shipped agents, whose servers are the shipped ones. */
export async function shippedCopy(...names: readonly string[]): Promise<string> {
  const server = (name: string, ...args: readonly string[]) => ({
    command: "node",
    args: [join(ROOT, "mcp-servers", name, "main.ts"), ...args],
  });
  const folder = await agentsFolder(
    {},
    {
      version_service: server("argocd", "version"),
      application_service: server("argocd", "application"),
      calculator: server("calculator"),
    },
  );
  await mkdir(folder, { recursive: true });
  for (const name of names) await copyFile(join(ROOT, "agents", `${name}.md`), join(folder, `${name}.md`));
  return folder;
}
