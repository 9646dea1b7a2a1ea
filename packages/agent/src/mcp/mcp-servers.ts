import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { FetchLike } from "@modelcontextprotocol/client";
import { NO_JITTER } from "@parley/journal";
import type { ToolCallOptions } from "./mcp-connection.ts";
import { UnknownToolError } from "./mcp-errors.ts";
import { McpServer, type ServerOptions } from "./mcp-server.ts";
import { type McpTool, mcpTool } from "./mcp-tool.ts";
import type { ToolResult } from "./read-tool-result.ts";
import { defaultResultBounds, type ResultBounds, readToolResult } from "./read-tool-result.ts";
import type { McpServerConfiguration } from "./server-configuration.ts";
import { type ServerState, unavailability } from "./server-state.ts";

/** Providers take no longer names, and no other characters than letters, digits, `_` and `-`. */
const LONGEST = 64;

/** The name `server__tool` under which a tool is offered: one that every provider takes, and not yet in `taken`. */
export function qualifiedName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const whole = `${server}__${tool}`;
  const name = whole.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
  if (name.length <= LONGEST && !taken.has(name)) return name;
  const mark = createHash("sha256").update(whole).digest("hex").slice(0, 8);
  return `${name.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}

export type McpServerConfigurations = Readonly<Record<string, McpServerConfiguration>>;

export interface McpServersOptions extends Partial<Omit<ServerOptions, "fetch">> {
  /** For servers over HTTP: the guarded one. */
  readonly fetch: FetchLike;
  readonly bounds?: Partial<ResultBounds>;
}

export interface McpServerStatus {
  readonly server: string;
  readonly state: ServerState;
  /** The tools that it offers, or offered when it was last ready. */
  readonly tools: readonly string[];
}

/** The MCP servers of one agent, one client each: a server that is down never takes the others with it. */
export class McpServers {
  readonly #options: ServerOptions;
  readonly #bounds: ResultBounds;
  #servers: readonly McpServer[];

  constructor(configurations: McpServerConfigurations, options: McpServersOptions) {
    this.#options = {
      observer: () => {},
      startTimeoutMs: 20_000,
      restarts: { firstDelayMs: 500, maxDelayMs: 30_000, jitter: NO_JITTER },
      ...options,
    };
    this.#bounds = { ...defaultResultBounds, ...options.bounds };
    this.#servers = Object.entries(configurations).map(([name, it]) => this.#server(name, it));
  }

  /** Resolves when every server is ready or down; never throws. */
  async start(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.start()));
  }

  /** Applies new configurations: unchanged servers keep running, the others are stopped and started. */
  async configure(configurations: McpServerConfigurations): Promise<void> {
    const before = this.#servers;
    this.#servers = Object.entries(configurations).map(
      ([name, it]) =>
        before.find((server) => server.name === name && isDeepStrictEqual(server.configuration, it)) ??
        this.#server(name, it),
    );
    const gone = before.filter((server) => !this.#servers.includes(server));
    const added = this.#servers.filter((server) => !before.includes(server));
    await Promise.all([...gone.map((server) => server.stop()), ...added.map((server) => server.start())]);
  }

  /** Every tool, those of servers that are down too: these say why they are unavailable. */
  tools(): readonly McpTool[] {
    return this.#catalogue().map(({ tool }) => tool);
  }

  /** What each server is doing; one that never was ready shows here why it has no tools. */
  status(): readonly McpServerStatus[] {
    const tools = this.tools();
    return this.#servers.map(({ name, state }) => ({
      server: name,
      state,
      tools: tools.filter((tool) => tool.server === name).map((tool) => tool.name),
    }));
  }

  /** Calls a tool by its name `server__tool`; what the tool calls a failure is a result, all else an `McpError`. */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: ToolCallOptions = {},
  ): Promise<ToolResult> {
    const catalogue = this.#catalogue();
    const found = catalogue.find(({ tool }) => tool.name === name);
    if (!found)
      throw new UnknownToolError(
        name,
        catalogue.map(({ tool }) => tool.name),
      );
    return readToolResult(await found.server.call(found.tool.tool, args, options), this.#bounds);
  }

  /** Ends every server; nothing can be called any more. */
  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }

  #server(name: string, configuration: McpServerConfiguration): McpServer {
    return new McpServer(name, configuration, this.#options);
  }

  #catalogue(): { readonly server: McpServer; readonly tool: McpTool }[] {
    const taken = new Set<string>();
    return this.#servers.flatMap((server) => {
      const unavailable = unavailability(server.state);
      return server.tools.map((it) => {
        const name = qualifiedName(server.name, it.name, taken);
        taken.add(name);
        const tool = mcpTool(server.name, name, it);
        return { server, tool: unavailable === undefined ? tool : { ...tool, unavailable } };
      });
    });
  }
}
