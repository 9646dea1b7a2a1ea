import { setTimeout as pause } from "node:timers/promises";
import {
  type CallToolResult,
  Client,
  type FetchLike,
  type jsonSchemaValidator,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool,
  type Transport,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { boundedSchema } from "@parley/models";
import {
  failureReason,
  type McpError,
  ServerStartError,
  ToolCallError,
  ToolCancelledError,
  ToolLostError,
  ToolTimeoutError,
} from "./mcp-errors.ts";
import { ProcessTransport, type ProcessTransportEvents } from "./process-transport.ts";
import type { Redactor } from "./redactor.ts";
import type { McpServerConfiguration } from "./server-configuration.ts";
import { serverTransport } from "./server-transport.ts";

const MAX_TOOLS = 1_000;
const LIST_CHANGED_DEBOUNCE_MS = 50;
/** What the SDK reports when there is no server any more, and not just one call that went wrong. */
const connectionCodes: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
]);
const LISTEN_AGAIN_AFTER_MS = 500;

export interface ToolProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ToolProgress) => void;
  /** For the whole call; a minute when not given. */
  readonly timeoutMs?: number;
  /** The caller's trace context, passed on to the server. */
  readonly traceparent?: string | undefined;
  /** For whom it is called: a program that serves tools for several workspaces keeps them apart. */
  readonly workspace?: string | undefined;
}

export interface ConnectionEvents extends ProcessTransportEvents {
  /** Redacts secrets in messages about the server. */
  readonly redact: Redactor;
  readonly onTools: (tools: readonly Tool[]) => void;
  /** The connection was lost; called at most once, and never after `close`. */
  readonly onLost: (reason: string) => void;
}

/** One connection of a client to a server. */
export class McpConnection {
  readonly #configuration: McpServerConfiguration;
  readonly #fetch: FetchLike;
  readonly #events: ConnectionEvents;
  #client: Client | undefined;
  #transport: Transport | undefined;
  #over = false;
  #lost: string | undefined;

  constructor(configuration: McpServerConfiguration, fetch: FetchLike, events: ConnectionEvents) {
    this.#configuration = configuration;
    this.#fetch = fetch;
    this.#events = events;
  }

  /** Why the connection was lost; undefined while it works. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Connects and lists the tools; throws `ServerStartError` and leaves nothing behind. */
  async open(timeoutMs: number, signal: AbortSignal): Promise<readonly Tool[]> {
    try {
      const client = await this.#connect({ timeout: timeoutMs, signal });
      const tools = await this.#list(client, { timeout: timeoutMs, signal });
      this.#watchSubscription(client);
      return tools;
    } catch (error) {
      const reason = this.#trouble(failureReason(error));
      await this.close();
      throw new ServerStartError(reason, { cause: error });
    }
  }

  /** Calls a tool by its name at the server; throws an `McpError`. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: ToolCallOptions,
  ): Promise<CallToolResult> {
    const { signal, onProgress, timeoutMs = 60_000 } = options;
    const client = this.#client;
    if (!client || this.#over) throw new ToolLostError(tool, "the server has gone");
    if (signal?.aborted) throw new ToolCancelledError(tool);
    try {
      return await client.callTool(
        { name: tool, arguments: { ...args }, ...this.#about(options) },
        {
          timeout: timeoutMs,
          maxTotalTimeout: timeoutMs,
          ...(signal ? { signal } : {}),
          ...(onProgress ? { onprogress: (it) => onProgress(it as ToolProgress) } : {}),
        },
      );
    } catch (error) {
      throw this.#callError(tool, error, { timeoutMs, cancelled: signal?.aborted === true });
    }
  }

  #about({ traceparent, workspace }: ToolCallOptions): { readonly _meta?: Record<string, string> } {
    // Only local programs learn the workspace.
    const isProgram = this.#configuration.transport === "stdio";
    const about = {
      ...(traceparent && { traceparent }),
      ...(workspace && isProgram && { "parley/workspace": workspace }),
    };
    return Object.keys(about).length > 0 ? { _meta: about } : {};
  }

  async close(): Promise<void> {
    this.#over = true;
    // A server that cannot be closed is gone already.
    await this.#client?.close().catch(() => {});
    await this.#transport?.close().catch(() => {});
  }

  async #connect(options: RequestOptions): Promise<Client> {
    // Old programs end when they are asked anything before `initialize`, so that is how programs are greeted;
    // those that are too new for it say so, and are started again.
    if (this.#configuration.transport !== "stdio") return this.#connectAs("auto", options);
    try {
      return await this.#connectAs("legacy", options);
    } catch (error) {
      if (!(error instanceof UnsupportedProtocolVersionError)) throw error;
      // The end of this one is not the end of the connection.
      this.#client = undefined;
      await this.#transport?.close();
      return this.#connectAs("auto", options);
    }
  }

  async #connectAs(mode: "legacy" | "auto", options: RequestOptions): Promise<Client> {
    const onChanged = (error: Error | null, tools: readonly Tool[] | null) => this.#changed(error, tools);
    const client = new Client(
      { name: "parley", version: "0.1.0" },
      {
        versionNegotiation: { mode },
        jsonSchemaValidator: boundedValidator(),
        listChanged: { tools: { debounceMs: LIST_CHANGED_DEBOUNCE_MS, onChanged } },
      },
    );
    this.#client = client;
    this.#transport = serverTransport(this.#configuration, this.#fetch, this.#events);
    client.onclose = () => {
      if (this.#client === client) this.#lose(this.#trouble("it closed the connection"));
    };
    await client.connect(this.#transport, options);
    return client;
  }

  async #list(client: Client, options: RequestOptions): Promise<readonly Tool[]> {
    const { tools } = await client.listTools(undefined, options);
    if (tools.length > MAX_TOOLS) throw new ServerStartError(`it offers more than ${MAX_TOOLS} tools`);
    return tools;
  }

  #callError(tool: string, error: unknown, how: { timeoutMs: number; cancelled: boolean }): McpError {
    if (how.cancelled) return new ToolCancelledError(tool);
    if (error instanceof ProtocolError) {
      const message = this.#events.redact(error.message);
      return new ToolCallError(`The server refused the call of ${tool}: ${message}`, { cause: error });
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      return new ToolTimeoutError(tool, how.timeoutMs);
    }
    if (error instanceof SdkError && !(error instanceof SdkHttpError) && !connectionCodes.has(error.code)) {
      const message = `${tool} wants or answers something that we cannot give or read: ${error.message}`;
      return new ToolCallError(message, { cause: error });
    }
    const reason = this.#trouble(failureReason(error));
    this.#lose(reason);
    return new ToolLostError(tool, reason);
  }

  #changed(error: Error | null, tools: readonly Tool[] | null): void {
    if (this.#over) return;
    if (tools === null) this.#lose(this.#trouble(`its tools could not be listed again: ${error?.message}`));
    else if (tools.length > MAX_TOOLS) this.#lose(`it offers more than ${MAX_TOOLS} tools`);
    else this.#events.onTools(tools);
  }

  /** A stream of changes that breaks off may have hidden one: listen again, and list again. */
  #watchSubscription(client: Client): void {
    void client.autoOpenedSubscription?.closed.then(async (how) => {
      while (how !== "local" && !this.#over) {
        try {
          await pause(LISTEN_AGAIN_AFTER_MS, undefined, { ref: false });
          const subscription = await client.listen({ toolsListChanged: true });
          const { tools } = await client.listTools(undefined, { cacheMode: "refresh" });
          this.#changed(null, tools);
          how = await subscription.closed;
        } catch (error) {
          return this.#lose(this.#trouble(failureReason(error)));
        }
      }
    });
  }

  #trouble(otherwise: string): string {
    const told = this.#transport instanceof ProcessTransport ? this.#transport.trouble : undefined;
    return this.#events.redact(told ?? otherwise);
  }

  #lose(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#lost = reason;
    this.#events.onLost(reason);
  }
}

/** What checks a server's results against the schemas that it gives for them. */
function boundedValidator(): jsonSchemaValidator {
  const validator = new AjvJsonSchemaValidator();
  return { getValidator: (schema) => validator.getValidator(boundedSchema(schema) as typeof schema) };
}
