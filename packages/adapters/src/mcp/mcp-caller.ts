import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Principal } from "@parley/sessions";
import type { Context } from "hono";
import type { AdapterEnvironment, AdapterHost, Caller } from "../adapter-host.ts";
import type { FollowedRun } from "../followed-run.ts";
import { type McpClient, sessionClient, VERSION_HEADER } from "./mcp-client.ts";

/** Who asks, by which client, and what they may ask of. */
export interface McpCaller {
  readonly host: AdapterHost;
  readonly principal: Principal;
  readonly identity: Caller;
  readonly client: McpClient;
  /** The address at which they reach us. */
  readonly origin: string;
}

/** A call of a tool, as far as it is not in the tool's arguments. */
export interface McpToolCall {
  readonly requestId: string | number;
  /** By which the same call is known when it comes again, where its client says so. */
  readonly key?: string | undefined;
}

/** A run whose answer is the result of a call. */
export interface CalledRun extends FollowedRun {
  /** The message that the call is about: who cancels the call cancels what answers this. Without it, one only watches. */
  readonly messageId?: string | undefined;
}

/** What a tool came to: a result, or a run whose answer is the result. */
export type ToolOutcome = CallToolResult | CalledRun;

/** Where people find a session. */
export function pageOf({ origin }: Pick<McpCaller, "origin">, sessionId: string): string {
  return `${origin}/s/${encodeURIComponent(sessionId)}`;
}

/** Who sends this request, by this client. */
export function mcpCaller(
  host: AdapterHost,
  context: Context<AdapterEnvironment>,
  client: McpClient,
): McpCaller {
  const { principal, identity } = context.var;
  return {
    ...{ host, principal, identity, client },
    origin: host.publicUrl ?? new URL(context.req.url).origin,
  };
}

/** The same, in a revision with sessions: what the client is, its headers say. */
export function sessionCaller(host: AdapterHost, context: Context<AdapterEnvironment>): McpCaller {
  const client = sessionClient(context.req.header("Mcp-Session-Id"), context.req.header(VERSION_HEADER));
  return mcpCaller(host, context, client);
}
