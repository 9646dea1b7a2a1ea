import { dirname } from "node:path";
import { z } from "zod";
import type { McpServerConfiguration } from "../mcp/server-configuration.ts";
import type { Variables } from "./expand-variables.ts";
import type { FileProblem } from "./file-problem.ts";
import { LocatedDocument } from "./located-document.ts";
import { serverEntry } from "./server-entry.ts";

const mcpFile = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()) });

/** The servers that an `mcp.json` has, by name; wrong entries are there as invalid ones. */
export interface McpFile {
  readonly servers: ReadonlyMap<string, McpServerConfiguration>;
  readonly problems: readonly FileProblem[];
}

/** Reads an `mcp.json`. */
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
