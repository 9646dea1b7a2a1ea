import type { CallToolResult } from "@modelcontextprotocol/server";

/** A failure that the caller can fix; its message says how. */
export class ToolFailure extends Error {
  override name = "ToolFailure";
}

/** An answer as text and as data. */
export function answer(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent };
}

/** Turns a thrown `ToolFailure` into an error result; anything else is a bug and is rethrown. */
export async function orFailure(
  work: () => CallToolResult | Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { isError: true, content: [{ type: "text", text: error.message }] };
  }
}

/** Annotations of read-only tools, which can be called again safely. */
export const readsOnly = { readOnlyHint: true, idempotentHint: true, destructiveHint: false } as const;
