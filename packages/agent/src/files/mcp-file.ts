import { dirname, resolve } from "node:path";
import { z } from "zod";
import type { McpServerConfiguration } from "../mcp/server-configuration.ts";
import { type FileProblem, LocatedDocument } from "./located-document.ts";

const text = z.string().min(1);
const texts = z.record(z.string(), z.string());
const mcpFile = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()) });

const stdioEntry = z.strictObject({
  type: z.literal("stdio").optional(),
  command: text,
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  cwd: text.optional(),
  disabled: z.boolean().default(false),
});

const httpEntry = z.strictObject({
  type: z.enum(["http", "streamable-http", "streamableHttp", "sse"]).default("http"),
  url: text,
  headers: texts.default({}),
  disabled: z.boolean().default(false),
});

/** The servers that an `mcp.json` has, by name; wrong entries are there as invalid ones. */
export interface McpFile {
  readonly servers: ReadonlyMap<string, McpServerConfiguration>;
  readonly problems: readonly FileProblem[];
}

export function parseMcpFile(text: string, file: string, variables: Variables): McpFile {
  const document = new LocatedDocument(text, file);
  if (!document.isGood) return { servers: new Map(), problems: document.problemsByLine };
  const content = document.check(mcpFile);
  const context = { folder: dirname(file), variables, unknownKeys: "warning" } as const;
  const servers = Object.keys(content?.mcpServers ?? {}).map(
    (name) => [name, serverEntry(document, ["mcpServers", name], context)] as const,
  );
  return { servers: new Map(servers), problems: document.problemsByLine };
}

interface EntryContext {
  /** Relative folders are relative to this one, and programs run in it. */
  readonly folder: string;
  readonly variables: Variables;
  /** Other tools keep keys of their own in `mcp.json`; in our own files an unknown key is a mistake. */
  readonly unknownKeys: "error" | "warning";
}

/** The server whose entry is at this path; a wrong one is there too, as invalid, with its problems reported. */
export function serverEntry(
  document: LocatedDocument,
  path: readonly PropertyKey[],
  context: EntryContext,
): McpServerConfiguration {
  const before = document.problems.length;
  const configuration = readEntry(document, path, context);
  const error = document.problems.slice(before).find(({ severity }) => severity === "error");
  if (configuration && !error) return configuration;
  const where = error ? `${error.file}:${error.line}: ${error.message}` : "its entry is wrong";
  return { transport: "invalid", reason: where };
}

function readEntry(
  document: LocatedDocument,
  path: readonly PropertyKey[],
  { folder, variables, unknownKeys }: EntryContext,
): McpServerConfiguration | undefined {
  const expand = (value: string, ...where: PropertyKey[]): string => {
    const expanded = expandVariables(value, variables);
    for (const name of expanded.missing) {
      const message = `the variable ${name} is not set: set it, or write \${${name}:-default}`;
      document.report([...path, ...where], message);
    }
    return expanded.text;
  };
  const expandAll = (values: Readonly<Record<string, string>>, where: string) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value, where, name)]));

  if (isHttp(document.at(path))) {
    const entry = document.check(httpEntry, path, unknownKeys);
    if (!entry) return undefined;
    if (entry.disabled) return disabled;
    const url = expand(entry.url, "url");
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      document.report([...path, "url"], "url: expected a URL that begins with https:// or http://");
    }
    return {
      transport: entry.type === "sse" ? "sse" : "http",
      url,
      headers: expandAll(entry.headers, "headers"),
    };
  }
  const entry = document.check(stdioEntry, path, unknownKeys);
  if (!entry) return undefined;
  if (entry.disabled) return disabled;
  return {
    transport: "stdio",
    command: expand(entry.command, "command"),
    args: entry.args.map((arg, index) => expand(arg, "args", index)),
    env: expandAll(entry.env, "env"),
    cwd: resolve(folder, expand(entry.cwd ?? ".", "cwd")),
  };
}

const disabled: McpServerConfiguration = { transport: "invalid", reason: "it is disabled" };

function isHttp(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  if ("type" in entry && entry.type !== "stdio" && !("command" in entry)) return true;
  return "url" in entry && !("command" in entry);
}

/** Where `${NAME}` finds its values; the environment is one. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A text with `${NAME}` and `${NAME:-default}` replaced; `missing` lists names without value and default. */
function expandVariables(text: string, variables: Variables): { text: string; missing: string[] } {
  const missing: string[] = [];
  const expanded = text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise: string | undefined) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      // As in a shell, `:-` also stands in for an empty value.
      if (otherwise !== undefined) return value || otherwise;
      if (value === undefined) missing.push(name);
      return value ?? "";
    },
  );
  return { text: expanded, missing };
}
