import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LEDGER = fileURLToPath(new URL("./ledger-server.ts", import.meta.url));
const FILES = fileURLToPath(new URL("../../mcp-servers/filesystem/main.ts", import.meta.url));

/** The agents that run on every node. */
export const HOSTED = ["teller", "clerk"] as const;
/** The agent on every node that reads and writes files, in a folder for each workspace. */
export const LIBRARIAN = "librarian";
/** The agent elsewhere that claims to be the supervisor. */
export const FORGER = "forger";
/** The agent with a process, a journal and a disk of its own. */
export const SOLE = "harbour";
/** The agents that have a tool which must not be called twice. */
export const ENTERING: readonly string[] = ["clerk", SOLE];

export interface AgentFilesOptions {
  readonly folder: string;
  readonly modelPort: number;
  /** Where the nodes reach the sole agent. */
  readonly solePort: number;
  readonly forgerPort: number;
  readonly ledger: string;
}

/** Writes the agents' files; `nodes` is the folder of those on every node, `sole` the file of the other one. */
export function writeAgentFiles(options: AgentFilesOptions): {
  readonly nodes: string;
  readonly sole: string;
} {
  const { folder, modelPort, solePort, forgerPort, ledger } = options;
  const nodes = join(folder, "nodes");
  const alone = join(folder, "alone");
  const model = `openai-compatible:words@http://127.0.0.1:${modelPort}/v1`;
  const tools: Readonly<Record<string, string>> = {
    ...Object.fromEntries(ENTERING.map((name) => [name, "ledger"])),
    [LIBRARIAN]: "files",
  };
  const file = (name: string) =>
    [
      "---",
      `name: ${name}`,
      `description: ${about(name)}`,
      `model: ${model}`,
      ...(tools[name] ? [`mcpServers: [${tools[name]}]`, "approval: { default: always }"] : []),
      ...["---", "", "Speak.", ""],
    ].join("\n");
  const home = join(folder, "files");
  mkdirSync(home, { recursive: true });
  const mcp = JSON.stringify({
    mcpServers: {
      ledger: { command: "node", args: [LEDGER, ledger] },
      files: { command: "node", args: [FILES, home, join(folder, "workspaces")] },
    },
  });
  const agents = {
    agents: {
      [SOLE]: { url: `http://localhost:${solePort}` },
      [FORGER]: { url: `http://localhost:${forgerPort}` },
    },
  };
  for (const each of [nodes, alone]) {
    mkdirSync(each, { recursive: true });
    writeFileSync(join(each, "mcp.json"), mcp);
  }
  for (const name of [...HOSTED, LIBRARIAN]) writeFileSync(join(nodes, `${name}.md`), file(name));
  writeFileSync(join(nodes, "agents.json"), JSON.stringify(agents));
  writeFileSync(join(alone, `${SOLE}.md`), file(SOLE));
  return { nodes, sole: join(alone, `${SOLE}.md`) };
}

function about(name: string): string {
  return `Speaks as the ${name} does.`;
}
