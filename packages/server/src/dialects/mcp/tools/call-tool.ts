import type { CallToolResult } from "@modelcontextprotocol/server";
import { Problem, type ProblemCode, problemOf } from "../../../api/problem.ts";
import type { McpCaller, ToolCall, ToolOutcome } from "../mcp-caller.ts";
import { onlyReads, toolNamed } from "./all-tools.ts";

/** What is wrong with the request as a whole, and not with what the tool was asked. */
const NOT_THE_TOOLS: ReadonlySet<ProblemCode> = new Set([
  ...(["not_authenticated", "rate_limited", "unavailable", "internal"] as const),
]);

/** Calls a tool. What goes wrong with it is a result that says what to do, so that the model which called it can. */
export async function callTool(
  caller: McpCaller,
  { name, arguments: given }: { readonly name: string; readonly arguments?: unknown },
  call: ToolCall,
): Promise<ToolOutcome> {
  const tool = await toolNamed(caller, name);
  try {
    if (caller.identity.role === "viewer" && !onlyReads(tool))
      throw new Problem("forbidden", "Viewers only read: ask an owner of your workspace for the role editor");
    return await tool.call(caller, given, call);
  } catch (error) {
    const problem = problemOf(error);
    if (!problem || NOT_THE_TOOLS.has(problem.code)) throw error;
    return failed(problem.message);
  }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
