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

/** The revision without sessions, in which each request describes its client. */
export const STATELESS_VERSION = "2026-07-28";

/** The header by which clients say which revision they speak. */
export const VERSION_HEADER = "MCP-Protocol-Version";

/** Where nobody says which revision is spoken, it is the first that had this transport. */
const UNSAID_VERSION = "2025-03-26";

/** A client's description of itself: once for a session (2025), or with each request (2026). */
export interface McpClient {
  readonly version: string;
  /** It can ask its user something on our behalf. */
  readonly elicits: boolean;
  /** Its `Mcp-Session-Id`, where the revision has sessions. */
  readonly sessionId?: string;
}

/** Whether the revision is one of those without sessions, streams to resume, and questions of the server's own. */
export function isStateless({ version }: Pick<McpClient, "version">): boolean {
  return version >= STATELESS_VERSION;
}

const capabilities = z
  .looseObject({
    elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
  })
  .catch({});

/** Whether these capabilities let us ask by a form. Without modes, forms are what is meant. */
export function elicitsBy(declared: unknown): boolean {
  const { elicitation } = capabilities.parse(declared);
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The revision that is spoken with who asks for this one. */
export function negotiatedVersion(asked: string): string {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION;
}

const sessionText = opaqueText(
  "mcp_",
  z.tuple([z.string().max(20), z.boolean(), z.string().min(16).max(40)]),
);

/**
 * A new `Mcp-Session-Id`: it carries all that the session is, so that any node knows it. It opens nothing, since who
 * asks shows who they are each time; that is why it need not be signed.
 */
export function newSessionId(version: string, elicits: boolean): string {
  return sessionText.write([version, elicits, randomBytes(12).toString("hex")]);
}

/** Who speaks in a revision of 2025, by the headers of the request. */
export function sessionClient(id: string | undefined, version: string | undefined): McpClient {
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    const supported = [STATELESS_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS].join(", ");
    throw new McpError(-32_000, `MCP-Protocol-Version ${version} is not spoken here, but ${supported}`, {
      status: 400,
    });
  }
  if (id === undefined) return { version: version ?? UNSAID_VERSION, elicits: false };
  const read = id.length < 300 ? sessionText.read(id) : undefined;
  // With 404 clients begin a new session.
  if (!read)
    throw new McpError(-32_001, "There is no such MCP session: begin a new one with initialize", {
      status: 404,
    });
  const [agreed, elicits] = read;
  return { version: version ?? agreed, elicits, sessionId: id };
}

/** Who speaks in the revision without sessions, by what each of its requests carries. */
export function envelopeClient(meta: Readonly<Record<string, unknown>>): McpClient {
  return {
    version: String(meta[PROTOCOL_VERSION_META_KEY]),
    elicits: elicitsBy(meta[CLIENT_CAPABILITIES_META_KEY]),
  };
}
