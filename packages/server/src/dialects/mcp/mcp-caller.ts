import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Principal } from "@parley/sessions";
import type { Context } from "hono";
import type { Identity } from "../../access/identity.ts";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import type { FollowedRun } from "../followed-run.ts";
import { type McpClient, sessionClient, VERSION_HEADER } from "./mcp-client.ts";

/** Who asks, by which client, and what they may ask of. */
export interface McpCaller {
  readonly api: Api;
  readonly principal: Principal;
  readonly identity: Identity;
  readonly client: McpClient;
  /** The address at which they reach us. */
  readonly origin: string;
}

/** A call of a tool, as far as it is not in the tool's arguments. */
export interface ToolCall {
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
export function mcpCaller(api: Api, context: Context<ApiEnvironment>, client: McpClient): McpCaller {
  const { principal, identity } = context.var;
  return {
    ...{ api, principal, identity, client },
    origin: api.publicUrl ?? new URL(context.req.url).origin,
  };
}

/** The same, in a revision with sessions: what the client is, its headers say. */
export function sessionCaller(api: Api, context: Context<ApiEnvironment>): McpCaller {
  const client = sessionClient(context.req.header("Mcp-Session-Id"), context.req.header(VERSION_HEADER));
  return mcpCaller(api, context, client);
}
