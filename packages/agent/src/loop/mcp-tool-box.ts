import type { Json, Part } from "@parley/a2a";
import type { AgentLimits } from "../files/agent-definition.ts";
import { type ApprovalRules, approvalFor } from "../files/approval.ts";
import { McpError, ToolCancelledError, ToolLostError, ToolTimeoutError } from "../mcp/mcp-errors.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { ToolFile, ToolResult } from "../mcp/read-tool-result.ts";
import { unavailability } from "../mcp/server-state.ts";
import type { Tool, ToolBox, ToolRequest, ToolReturn } from "./tool-box.ts";

/** How long one call may take; what it did until then is unknown. */
const DEFAULT_TOOL_SECONDS = 60;
/** What travels along with a result; more is in its text, cut to size. */
const MOST_DATA_CHARACTERS = 65_536;

/** The tools of an agent's MCP servers, under its rules of approval. */
export class McpToolBox implements ToolBox {
  readonly #servers: McpServers;
  readonly #rules: ApprovalRules;
  readonly #timeoutMs: number;
  readonly #workspace: string | undefined;

  constructor(
    servers: McpServers,
    rules: ApprovalRules,
    { toolSeconds = DEFAULT_TOOL_SECONDS }: AgentLimits = {},
    workspace?: string,
  ) {
    this.#servers = servers;
    this.#rules = rules;
    this.#timeoutMs = toolSeconds * 1_000;
    this.#workspace = workspace;
  }

  tools(): readonly Tool[] {
    const available = this.#servers.tools().filter(({ unavailable }) => unavailable === undefined);
    return available.map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      approval: approvalFor(this.#rules, { name, annotations }),
      repeatable: annotations.readOnlyHint === true || annotations.idempotentHint === true,
    }));
  }

  troubles(): readonly string[] {
    return this.#servers.status().flatMap(({ server, state }) => {
      const reason = unavailability(state);
      return reason === undefined ? [] : [`The tools of ${server} are not available: ${reason}`];
    });
  }

  async call({ tool, arguments: given, trace }: ToolRequest, signal: AbortSignal): Promise<ToolReturn> {
    const { traceparent } = trace ?? {};
    try {
      const options = { signal, timeoutMs: this.#timeoutMs, traceparent, workspace: this.#workspace };
      return returned(await this.#servers.call(tool, given, options));
    } catch (error) {
      if (error instanceof ToolCancelledError) return { outcome: "canceled", text: error.message };
      const unknown = error instanceof ToolLostError || error instanceof ToolTimeoutError;
      if (unknown) return { outcome: "unknown", text: error.message };
      if (error instanceof McpError) return { outcome: "failed", text: error.message };
      throw error;
    }
  }
}

function returned({ failed, text, structured, files }: ToolResult): ToolReturn {
  const data = (structured ?? text) as Json;
  const fits = JSON.stringify(data).length <= MOST_DATA_CHARACTERS;
  const made = files.length > 0 && { files: files.map(filePart) };
  return { outcome: failed ? "failed" : "succeeded", text, ...(fits && { data }), ...made };
}

function filePart({ name: filename, mediaType, ...content }: ToolFile): Part {
  const source = "url" in content ? { url: content.url } : { raw: content.base64 };
  return { ...source, filename, ...(mediaType !== undefined && { mediaType }) };
}
