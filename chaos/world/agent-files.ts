import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LEDGER = fileURLToPath(new URL("./ledger-server.ts", import.meta.url));

/** The agents that run on every node. */
export const HOSTED = ["teller", "clerk"] as const;
/** The agent with a process, a journal and a disk of its own. */
export const SOLE = "harbour";
/** The agents that have a tool which must not be called twice. */
export const ENTERING: readonly string[] = ["clerk", SOLE];

export interface AgentFilesOptions {
  readonly folder: string;
  readonly modelPort: number;
  /** Where the nodes reach the sole agent. */
  readonly solePort: number;
  readonly ledger: string;
}

/** Writes the agents' files; `nodes` is the folder of those on every node, `sole` the file of the other one. */
export function writeAgentFiles(options: AgentFilesOptions): {
  readonly nodes: string;
  readonly sole: string;
} {
  const { folder, modelPort, solePort, ledger } = options;
  const nodes = join(folder, "nodes");
  const alone = join(folder, "alone");
  const model = `openai-compatible:words@http://127.0.0.1:${modelPort}/v1`;
  const file = (name: string) =>
    [
      "---",
      `name: ${name}`,
      `description: ${about(name)}`,
      `model: ${model}`,
      ...(ENTERING.includes(name) ? ["mcpServers: [ledger]", "approval: { default: always }"] : []),
      ...["---", "", "Speak.", ""],
    ].join("\n");
  const mcp = JSON.stringify({ mcpServers: { ledger: { command: "node", args: [LEDGER, ledger] } } });
  const agents = { agents: { [SOLE]: { url: `http://localhost:${solePort}` } } };
  for (const each of [nodes, alone]) {
    mkdirSync(each, { recursive: true });
    writeFileSync(join(each, "mcp.json"), mcp);
  }
  for (const name of HOSTED) writeFileSync(join(nodes, `${name}.md`), file(name));
  writeFileSync(join(nodes, "agents.json"), JSON.stringify(agents));
  writeFileSync(join(alone, `${SOLE}.md`), file(SOLE));
  return { nodes, sole: join(alone, `${SOLE}.md`) };
}

function about(name: string): string {
  return `Speaks as the ${name} does.`;
}
