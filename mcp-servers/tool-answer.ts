import type { CallToolResult } from "@modelcontextprotocol/server";

/** A failure that the caller can do something about; its message says what. */
export class ToolFailure extends Error {
  override name = "ToolFailure";
}

/** An answer in words and as data. */
export function answer(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent };
}

/** Turns what is thrown as a `ToolFailure` into a result that says so; anything else is a fault of ours and goes on. */
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

/** For tools that only look: they can be called again without a second thought. */
export const readsOnly = { readOnlyHint: true, idempotentHint: true, destructiveHint: false } as const;
