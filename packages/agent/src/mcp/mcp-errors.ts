/** Why a tool could not be called, in a sentence for a person and a model; one class a cause. */
export class McpError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** An MCP server cannot be started or reached; its message is the reason that its state shows. */
export class ServerStartError extends McpError {}

/** No server has a tool of this name. */
export class UnknownToolError extends McpError {
  constructor(tool: string, known: readonly string[]) {
    const list = known.slice(0, 20).join(", ");
    super(
      `There is no tool ${tool}. ${known.length === 0 ? "There are no tools at all." : `Tools: ${list}.`}`,
    );
  }
}

/** The tool's server is not ready: nothing was called. */
export class ToolUnavailableError extends McpError {
  constructor(tool: string, server: string, reason: string) {
    super(`The tool ${tool} is unavailable, because its server ${server} is not ready: ${reason}`);
  }
}

/** The server was lost in the middle of the call: whether the tool did its work is unknown. */
export class ToolLostError extends McpError {
  constructor(tool: string, reason: string) {
    super(`The connection was lost while ${tool} ran (${reason}). Whether it did its work is unknown.`);
  }
}

/** The tool did not answer in time; it was told to stop, and what it did until then is unknown. */
export class ToolTimeoutError extends McpError {
  constructor(tool: string, timeoutMs: number) {
    super(`${tool} did not answer within ${timeoutMs / 1_000} s. What it did until then is unknown.`);
  }
}

/** The caller withdrew the call, and the server was told. */
export class ToolCancelledError extends McpError {
  constructor(tool: string) {
    super(`The call of ${tool} was cancelled.`);
  }
}

/** The server refused the call, or answered with something that its own protocol does not have. */
export class ToolCallError extends McpError {}
