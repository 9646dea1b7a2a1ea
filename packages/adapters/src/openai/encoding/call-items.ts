import type { EventOf } from "@parley/sessions";
import { type OutputItem, questionId } from "./response-object.ts";

export type CallItem = Extract<OutputItem, { type: "mcp_call" }>;

/** A call of a tool, which is one of an MCP server's: `agent` makes it where the event names nobody. */
export function callItem(event: EventOf<"agent_tool_call">, id: string, agent: string): CallItem {
  return {
    ...{ type: "mcp_call", id, server_label: event.agent ?? agent, name: event.tool },
    ...{ arguments: JSON.stringify(event.arguments ?? {}), status: "in_progress" },
    ...{ output: null, error: null, approval_request_id: null },
  };
}

/** The call with what came of it. */
export function returnedCall(item: CallItem, event: EventOf<"agent_tool_result">): CallItem {
  const said = event.text ?? (event.result === undefined ? "" : JSON.stringify(event.result));
  if (event.outcome === "succeeded") return { ...item, status: "completed", output: said };
  return { ...item, status: "failed", error: said === "" ? event.outcome : said };
}

/** A question that a person is asked. */
export function questionItem(question: EventOf<"approval_requested">, agent: string): OutputItem {
  const { runId, approvalId, tool, arguments: given, question: words } = question;
  return {
    ...{ type: "mcp_approval_request", id: questionId(runId, approvalId) },
    server_label: question.agent ?? agent,
    // An agent may ask for words in place of a yes.
    ...{ name: tool ?? "question", arguments: JSON.stringify(tool ? (given ?? {}) : { question: words }) },
  };
}
