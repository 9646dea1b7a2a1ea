/** A server that is a program: spoken to over its standard input and output, and run without a shell. */
export interface StdioServerConfiguration {
  readonly transport: "stdio";
  /** `node` is the Node that runs us; anything else is looked up on the PATH. */
  readonly command: string;
  readonly args: readonly string[];
  /** All that the program sees of the environment, beside PATH, HOME and LANG. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface HttpServerConfiguration {
  /** `sse` is the transport that streamable HTTP replaced. */
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server with an invalid configuration: it is down, with the reason. */
interface InvalidServerConfiguration {
  readonly transport: "invalid";
  readonly reason: string;
}

export type McpServerConfiguration =
  | StdioServerConfiguration
  | HttpServerConfiguration
  | InvalidServerConfiguration;
