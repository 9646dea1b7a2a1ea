import { McpError } from "./mcp-error.ts";

const MISMATCH = -32_020;
/** The member of `params` that a method's header `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, string>> = { "tools/call": "name", "resources/read": "uri" };
const BASE64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Throws where a request of the revision without sessions lacks a header that repeats its body, or has another in it. */
export function checkHeaders(
  { method, params }: { readonly method: string; readonly params?: unknown },
  header: (name: string) => string | undefined,
): void {
  if (header("MCP-Protocol-Version") === undefined) throw mismatch("MCP-Protocol-Version", "is missing");
  if (header("Mcp-Method") === undefined) throw mismatch("Mcp-Method", "is missing");
  const member = NAMED_BY[method];
  const value = member === undefined ? undefined : (params as Record<string, unknown> | undefined)?.[member];
  if (typeof value !== "string") return;
  const given = header("Mcp-Name");
  if (given === undefined) throw mismatch("Mcp-Name", "is missing");
  if (decoded(given.trim()) !== value) throw mismatch("Mcp-Name", `is not params.${member}`);
}

function decoded(value: string): string {
  const [, base64] = BASE64.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString();
}

function mismatch(name: string, what: string): McpError {
  return new McpError(MISMATCH, `The header ${name} ${what}`, { status: 400 });
}
