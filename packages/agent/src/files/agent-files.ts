import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { McpServerConfiguration } from "../mcp/server-configuration.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { parseAgentFile } from "./agent-file.ts";
import type { FileProblem } from "./located-document.ts";
import type { Variables } from "./mcp-file.ts";
import { parseMcpFile } from "./mcp-file.ts";

const MAX_FILE_BYTES = 1_048_576;
const MAX_AGENTS = 1_000;
const mcpFileNames = ["mcp.json", ".mcp.json"];

export interface AgentFiles {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly FileProblem[];
}

/** Reads a folder of agents repeatedly; keeps the last good version of a file that is broken now. */
export class AgentFilesReader {
  readonly #folder: string;
  readonly #variables: Variables;
  readonly #only: string | undefined;
  #servers: ReadonlyMap<string, McpServerConfiguration> | undefined;
  #goodAgents = new Map<string, AgentDefinition>();

  /** With `only`, all other agents of the folder are left alone. */
  constructor(folder: string, variables: Variables, only?: string) {
    this.#folder = folder;
    this.#variables = variables;
    this.#only = only;
  }

  /** Reads all of it; what cannot be read is a problem, never an error. */
  async read(): Promise<AgentFiles> {
    const problems: FileProblem[] = [];
    const names = await this.#names(problems);
    const servers = await this.#readServers(names, problems);
    const good = new Map<string, AgentDefinition>();
    for (const name of names.filter((it) => this.#isAgentFile(it))) {
      const file = join(this.#folder, name);
      const text = await readText(file, problems);
      const read =
        text === undefined ? undefined : parseAgentFile(text, file, { servers, variables: this.#variables });
      problems.push(...(read?.problems ?? []));
      const agent = read?.agent ?? this.#goodAgents.get(file);
      if (agent) good.set(file, agent);
    }
    this.#goodAgents = good;
    return { agents: withDistinctNames([...good.values()], problems), problems };
  }

  async #names(problems: FileProblem[]): Promise<string[]> {
    try {
      const names = (await readdir(this.#folder)).sort();
      const agentFiles = names.filter((name) => this.#isAgentFile(name));
      if (agentFiles.length > MAX_AGENTS) {
        problems.push(error(this.#folder, `there are more than ${MAX_AGENTS} agents: the rest is left out`));
      }
      return [...names.filter((name) => mcpFileNames.includes(name)), ...agentFiles.slice(0, MAX_AGENTS)];
    } catch (cause) {
      problems.push(
        error(this.#folder, `the folder cannot be read (${(cause as NodeJS.ErrnoException).code})`),
      );
      return [];
    }
  }

  #isAgentFile(name: string): boolean {
    return this.#only === undefined ? isAgentFile(name) : name === this.#only;
  }

  async #readServers(
    names: readonly string[],
    problems: FileProblem[],
  ): Promise<ReadonlyMap<string, McpServerConfiguration>> {
    const servers = new Map<string, McpServerConfiguration>();
    let isGood = true;
    for (const name of mcpFileNames.filter((it) => names.includes(it))) {
      const file = join(this.#folder, name);
      const text = await readText(file, problems);
      const read = text === undefined ? undefined : parseMcpFile(text, file, this.#variables);
      problems.push(...(read?.problems ?? []));
      isGood &&= read?.problems.every(({ severity }) => severity === "warning") ?? false;
      for (const [server, configuration] of read?.servers ?? []) {
        if (!servers.has(server)) servers.set(server, configuration);
      }
    }
    // At the first reading there is no good version yet: then what is right in it is better than nothing.
    if (isGood || this.#servers === undefined) this.#servers = servers;
    return this.#servers;
  }
}

function isAgentFile(name: string): boolean {
  return name.endsWith(".md") && !/^[._]/.test(name) && name.toLowerCase() !== "readme.md";
}

async function readText(file: string, problems: FileProblem[]): Promise<string | undefined> {
  try {
    if ((await stat(file)).size > MAX_FILE_BYTES) {
      problems.push(error(file, `the file is larger than ${MAX_FILE_BYTES} bytes`));
      return undefined;
    }
    return await readFile(file, "utf8");
  } catch (cause) {
    problems.push(error(file, `the file cannot be read (${(cause as NodeJS.ErrnoException).code})`));
    return undefined;
  }
}

function withDistinctNames(agents: readonly AgentDefinition[], problems: FileProblem[]): AgentDefinition[] {
  const byName = new Map<string, AgentDefinition>();
  for (const agent of agents) {
    const first = byName.get(agent.name);
    if (first)
      problems.push(error(agent.file, `the agent ${agent.name} is in ${first.file} already: rename one`));
    else byName.set(agent.name, agent);
  }
  return [...byName.values()];
}

function error(file: string, message: string): FileProblem {
  return { file, line: 1, message, severity: "error" };
}
