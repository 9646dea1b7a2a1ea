import { createHash } from "node:crypto";
import type { Tool } from "@modelcontextprotocol/client";
import type { ToolDefinition } from "@parley/models";

/** A server's annotations of a tool's effects; a server may lie, so they only affect caution and retries. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool of an MCP server, under the name `server__tool` that models and people see. */
export interface McpTool extends ToolDefinition {
  readonly server: string;
  readonly tool: string;
  readonly title?: string;
  readonly annotations: ToolAnnotations;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** A hash of the tool's definition: an approval holds for this definition only. */
  readonly fingerprint: string;
  readonly unavailable?: string;
}

export function mcpTool(server: string, name: string, tool: Tool): McpTool {
  const { readOnlyHint, idempotentHint, destructiveHint, openWorldHint, title } = tool.annotations ?? {};
  const shownTitle = tool.title ?? title;
  const hints = { readOnlyHint, idempotentHint, destructiveHint, openWorldHint };
  const said = [tool.name, shownTitle, tool.description, tool.inputSchema, tool.outputSchema, hints];
  return {
    name,
    server,
    tool: tool.name,
    description: tool.description ?? shownTitle ?? "",
    inputSchema: tool.inputSchema,
    annotations: Object.fromEntries(Object.entries(hints).filter(([, hint]) => hint !== undefined)),
    fingerprint: createHash("sha256").update(JSON.stringify(said)).digest("hex"),
    ...(shownTitle === undefined ? {} : { title: shownTitle }),
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
  };
}
