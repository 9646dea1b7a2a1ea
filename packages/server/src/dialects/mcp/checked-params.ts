import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { McpError } from "./mcp-error.ts";

/** The `params` of a request, if they are as the schema says; else an `McpError` that names the one which is not. */
export function checked<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(params ?? {});
  if (success) return data;
  const [issue] = error.issues;
  throw invalidParams(issue?.path.join(".") ?? "", issue?.message ?? "is not as it should be");
}

/** A parameter that is not as it should be. */
export function invalidParams(path: string, message: string): McpError {
  return new McpError(ProtocolErrorCode.InvalidParams, `params.${path}: ${message}`);
}
