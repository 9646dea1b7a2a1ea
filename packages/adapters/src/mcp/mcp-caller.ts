import { randomBytes } from "node:crypto";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  LATEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Principal } from "@parley/sessions";
import type { Context } from "hono";
import { z } from "zod";
import type { AdapterEnvironment, AdapterHost, Caller } from "../adapter-host.ts";
import type { FollowedRun } from "../followed-run.ts";
import { opaqueText } from "./call-tokens.ts";
import { McpError } from "./mcp-error.ts";

/** The user and client of a request. */
export interface McpCaller {
  readonly host: AdapterHost;
  readonly principal: Principal;
  readonly identity: Caller;
  readonly client: McpClient;
  /** Our address as the client sees it. */
  readonly origin: string;
}

/** A tool call without its arguments. */
export interface McpToolCall {
  readonly requestId: string | number;
  /** The client's idempotency key. */
  readonly key?: string | undefined;
}

/** A run whose answer is the result of a call. */
export interface CalledRun extends FollowedRun {
  /** The message that the call posted: cancelling the call cancels its answer. Without it, the call only watches. */
  readonly messageId?: string | undefined;
}

/** The outcome of a tool call: a result, or a run whose answer is the result. */
export type ToolOutcome = CallToolResult | CalledRun;

/** The URL of a session's page. */
export function pageOf({ origin }: Pick<McpCaller, "origin">, sessionId: string): string {
  return `${origin}/s/${encodeURIComponent(sessionId)}`;
}

/** The caller of a request with this client. */
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

/** The caller in a revision with sessions, whose client the headers describe. */
export function sessionCaller(host: AdapterHost, context: Context<AdapterEnvironment>): McpCaller {
  const client = sessionClient(context.req.header("Mcp-Session-Id"), context.req.header(VERSION_HEADER));
  return mcpCaller(host, context, client);
}

/** The revision without sessions, in which each request describes its client. */
export const STATELESS_VERSION = "2026-07-28";

/** The header with a client's protocol revision. */
export const VERSION_HEADER = "MCP-Protocol-Version";

/** The revision of clients that name none: the first with this transport. */
const DEFAULT_VERSION = "2025-03-26";

/** A client's description of itself: once for a session (2025), or with each request (2026). */
export interface McpClient {
  readonly version: string;
  /** Whether it can ask its user on our behalf. */
  readonly elicits: boolean;
  /** Its `Mcp-Session-Id`, where the revision has sessions. */
  readonly sessionId?: string;
}

/** Whether the revision has no sessions, no resumable streams and no requests of the server's own. */
export function isStateless({ version }: Pick<McpClient, "version">): boolean {
  return version >= STATELESS_VERSION;
}

const capabilities = z
  .looseObject({
    elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
  })
  .catch({});

/** Whether these capabilities include forms, which is the default without modes. */
export function elicitsBy(declared: unknown): boolean {
  const { elicitation } = capabilities.parse(declared);
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The revision for a client that asks for this one. */
export function negotiatedVersion(asked: string): string {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION;
}

const sessionText = opaqueText(
  "mcp_",
  z.tuple([z.string().max(20), z.boolean(), z.string().min(16).max(40)]),
);

/**
 * A new `Mcp-Session-Id`, which carries the whole session, so that any node knows it. It grants nothing, since every
 * request is authenticated; that is why it is not signed.
 */
export function newSessionId(version: string, elicits: boolean): string {
  return sessionText.write([version, elicits, randomBytes(12).toString("hex")]);
}

/** The client of a request in a revision of 2025, according to its headers. */
function sessionClient(id: string | undefined, version: string | undefined): McpClient {
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    const supported = [STATELESS_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS].join(", ");
    throw new McpError(-32_000, `MCP-Protocol-Version ${version} is not spoken here, but ${supported}`, {
      status: 400,
    });
  }
  if (id === undefined) return { version: version ?? DEFAULT_VERSION, elicits: false };
  const read = id.length < 300 ? sessionText.read(id) : undefined;
  // Clients begin a new session on 404.
  if (!read)
    throw new McpError(-32_001, "There is no such MCP session: begin a new one with initialize", {
      status: 404,
    });
  const [agreed, elicits] = read;
  return { version: version ?? agreed, elicits, sessionId: id };
}

/** The client of a request in the stateless revision, according to its `_meta`. */
export function envelopeClient(meta: Readonly<Record<string, unknown>>): McpClient {
  return {
    version: String(meta[PROTOCOL_VERSION_META_KEY]),
    elicits: elicitsBy(meta[CLIENT_CAPABILITIES_META_KEY]),
  };
}
