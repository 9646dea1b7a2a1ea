import { basename, dirname } from "node:path";
import type { McpServerConfigurations } from "../mcp/mcp-servers.ts";
import type { McpServerConfiguration, StdioServerConfiguration } from "../mcp/server-configuration.ts";
import { type AgentDefinition, type AgentPort, agentFrontMatter } from "./agent-definition.ts";
import { closestName } from "./closest-name.ts";
import type { FileProblem } from "./located-document.ts";
import { LocatedDocument } from "./located-document.ts";
import type { Variables } from "./mcp-file.ts";
import { serverEntry } from "./mcp-file.ts";

export interface AgentFileContext {
  /** The servers of `mcp.json`, which it names. */
  readonly servers: ReadonlyMap<string, McpServerConfiguration>;
  readonly variables: Variables;
}

/** An agent's file as it was read: without an agent when there is an error. */
export interface AgentFile {
  readonly agent: AgentDefinition | undefined;
  readonly problems: readonly FileProblem[];
}

/** Reads an agent from Markdown with YAML front matter; the Markdown is its system prompt. */
export function parseAgentFile(text: string, file: string, context: AgentFileContext): AgentFile {
  const split = splitFrontMatter(text);
  if (typeof split === "string") {
    return { agent: undefined, problems: [{ file, line: 1, message: split, severity: "error" }] };
  }
  const document = new LocatedDocument(split.frontMatter, file, 2);
  const front = document.isGood ? document.check(agentFrontMatter) : undefined;
  if (split.body === "") {
    const message = "the text after the front matter is the system prompt, and it is empty";
    document.problems.push({ file, line: split.bodyLine, message, severity: "error" });
  }
  if (!front || !document.isGood) return { agent: undefined, problems: document.problemsByLine };
  const { name, model, port, approval, mcpServers: _, program: __, ...rest } = front;
  const program = readProgram(document, context, dirname(file));
  const agent: AgentDefinition = {
    ...rest,
    file,
    name: name ?? basename(file, ".md"),
    mcpServers: readServers(document, context, dirname(file)),
    approval: {
      default: approval?.default,
      tools: Object.entries(approval?.tools ?? {}).map(([pattern, mode]) => ({ pattern, mode })),
    },
    instructions: split.body,
    ...(model === undefined ? {} : { model }),
    ...(port === undefined ? {} : { port: readPort(port) }),
    ...(program === undefined ? {} : { program }),
  };
  return { agent: document.isGood ? agent : undefined, problems: document.problemsByLine };
}

function splitFrontMatter(text: string): { frontMatter: string; body: string; bodyLine: number } | string {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---")
    return "expected --- in the first line: an agent's file begins with front matter";
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end === -1) return "expected a line --- that ends the front matter";
  const body = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  return { frontMatter: lines.slice(1, end).join("\n"), body, bodyLine: end + 2 };
}

function readPort(port: `+${number}` | number): AgentPort {
  return typeof port === "number" ? { fixed: port } : { afterMain: Number(port.slice(1)) };
}

/** What is for a model and its tools, which a program does not have. */
const NOT_FOR_PROGRAMS = [
  ...["outputModes", "model", "mcpServers", "approval", "limits", "thinking", "tokens"],
];

function readProgram(
  document: LocatedDocument,
  { variables }: AgentFileContext,
  folder: string,
): StdioServerConfiguration | undefined {
  const value = document.at(["program"]);
  if (value === undefined) return undefined;
  for (const key of NOT_FOR_PROGRAMS)
    if (document.at([key]) !== undefined)
      document.report([key], `${key}: an agent that is a program has none; leave it out`);
  const entry = serverEntry(document, ["program"], { folder, variables, unknownKeys: "error" });
  if (entry.transport === "stdio") return entry;
  // What is wrong with its members was reported with the entry.
  if (document.isGood)
    document.report(["program"], "program: expected { command, args, env, cwd } of a program to start");
  return undefined;
}

function readServers(
  document: LocatedDocument,
  { servers, variables }: AgentFileContext,
  folder: string,
): McpServerConfigurations {
  const inline = (path: readonly PropertyKey[]) =>
    serverEntry(document, path, { folder, variables, unknownKeys: "error" });
  const named = (name: string, path: readonly PropertyKey[]): McpServerConfiguration => {
    const found = servers.get(name);
    if (found) return found;
    const meant = closestName(name, [...servers.keys()]);
    const reason = `mcp.json has no server ${name}${meant === undefined ? "" : `: did you mean ${meant}?`}`;
    // Only a warning: the agent is of use without it, and its server is shown as down with this reason.
    document.report(path, `mcpServers: ${reason}`, "warning");
    return { transport: "invalid", reason };
  };
  const value = document.at(["mcpServers"]);
  if (value === undefined || value === null) return {};
  if (!Array.isArray(value)) {
    if (typeof value === "object") {
      return Object.fromEntries(Object.keys(value).map((name) => [name, inline(["mcpServers", name])]));
    }
    document.report(["mcpServers"], "mcpServers: expected a list of names from mcp.json, or servers by name");
    return {};
  }
  return Object.fromEntries(
    value.flatMap((item: unknown, index) => {
      const path = ["mcpServers", index];
      if (typeof item === "string") return [[item, named(item, path)]];
      if (typeof item === "object" && item !== null) {
        return Object.keys(item).map((name) => [name, inline([...path, name])]);
      }
      document.report(path, `mcpServers[${index}]: expected a name from mcp.json, or a server by name`);
      return [];
    }),
  );
}
