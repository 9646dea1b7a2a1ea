import type { EventOf } from "@parley/sessions";
import type { RunPart } from "./run-part.ts";

/** An item of a response's output. */
export type OutputItem =
  | {
      readonly type: "message";
      readonly id: string;
      readonly role: "assistant";
      readonly status: "in_progress" | "completed" | "incomplete";
      content: { readonly type: "output_text"; text: string; annotations: []; logprobs: [] }[];
    }
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
      readonly status: "in_progress" | "completed" | "incomplete";
      readonly content?: readonly { readonly type: "reasoning_text"; readonly text: string }[];
    }
  | {
      readonly type: "mcp_call";
      readonly id: string;
      readonly server_label: string;
      readonly name: string;
      readonly arguments: string;
      readonly status: "in_progress" | "completed" | "incomplete" | "failed";
      readonly output: string | null;
      readonly error: string | null;
      readonly approval_request_id: null;
    }
  | {
      readonly type: "mcp_approval_request";
      readonly id: string;
      readonly server_label: string;
      readonly name: string;
      readonly arguments: string;
    };

/** Settings of a request that its response repeats. */
export interface ResponseSettings {
  readonly model?: string | undefined;
  readonly previousResponseId?: string | undefined;
  readonly instructions?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly background?: boolean | undefined;
  /** Whether reasoning is wanted as summaries: most clients show nothing else. */
  readonly summary?: boolean | undefined;
}

export type ResponseStatus = "in_progress" | "completed" | "failed" | "cancelled";

const PART = /^resp_(.+?)(?:\.(\d{1,6}))?$/;

/** The id of a part of a run as a response. */
export function responseId(runId: string, part: number): string {
  return `resp_${runId}${part === 0 ? "" : `.${part}`}`;
}

/** The part of a run that a response's id names. */
export function namedByResponse(id: string): { readonly runId: string; readonly part: number } | undefined {
  const [, runId, part = "0"] = PART.exec(id) ?? [];
  return runId === undefined ? undefined : { runId, part: Number(part) };
}

export type ItemKind = "msg" | "rs" | "mcp";

/** The id of an item. */
export function itemId(kind: ItemKind, runId: string, part: number, place: number): string {
  return `${kind}_${runId}_${part}_${place}`;
}

/** The run that an item's id names; questions are items too. */
export function namedByItem(
  id: string,
): { readonly kind: ItemKind | "mcpr"; readonly runId: string } | undefined {
  const question = namedByQuestion(id);
  if (question) return { kind: "mcpr", runId: question.runId };
  const [, kind, runId] = /^(msg|rs|mcp)_(.+)_\d+_\d+$/.exec(id) ?? [];
  return runId === undefined ? undefined : { kind: kind as ItemKind, runId };
}

/** The id of a question; approval ids are unique within their session only. */
function questionId(runId: string, approvalId: string): string {
  return `mcpr_${runId}~${approvalId}`;
}

/** The approval that a question's id names. */
export function namedByQuestion(
  id: string,
): { readonly runId: string; readonly approvalId: string } | undefined {
  const [, runId, approvalId] = /^mcpr_([^~]+)~(.+)$/.exec(id) ?? [];
  return runId === undefined || approvalId === undefined ? undefined : { runId, approvalId };
}

/** The fields of a response that never change. */
export function responseHead({ state, run, part, createdAt }: RunPart, settings: ResponseSettings) {
  const { model = run.agent, previousResponseId, instructions, metadata, background = false } = settings;
  return {
    ...{ id: responseId(run.id, part), object: "response", created_at: createdAt, model, background },
    ...{ previous_response_id: previousResponseId ?? null, instructions: instructions ?? null },
    conversation: { id: state.id },
    metadata: { ...metadata, session_id: state.id, run_id: run.id },
    ...{ parallel_tool_calls: true, tool_choice: "auto", tools: [], store: true, truncation: "disabled" },
    temperature: null,
    top_p: null,
    max_output_tokens: null,
    reasoning: { effort: null, summary: null },
    ...{ text: { format: { type: "text" } }, incomplete_details: null },
  };
}

export type CallItem = Extract<OutputItem, { type: "mcp_call" }>;

/** A tool call as an MCP call of `agent`, unless the event names another agent. */
export function callItem(event: EventOf<"agent_tool_call">, id: string, agent: string): CallItem {
  return {
    ...{ type: "mcp_call", id, server_label: event.agent ?? agent, name: event.tool },
    ...{ arguments: JSON.stringify(event.arguments ?? {}), status: "in_progress" },
    ...{ output: null, error: null, approval_request_id: null },
  };
}

/** The call with its result. */
export function returnedCall(item: CallItem, event: EventOf<"agent_tool_result">): CallItem {
  const text = event.text ?? (event.result === undefined ? "" : JSON.stringify(event.result));
  if (event.outcome === "succeeded") return { ...item, status: "completed", output: text };
  return { ...item, status: "failed", error: text === "" ? event.outcome : text };
}

/** A question as an approval request. */
export function questionItem(question: EventOf<"approval_requested">, agent: string): OutputItem {
  const { runId, approvalId, tool, arguments: given, question: words } = question;
  return {
    ...{ type: "mcp_approval_request", id: questionId(runId, approvalId) },
    server_label: question.agent ?? agent,
    // A question without a tool asks for words.
    ...{ name: tool ?? "question", arguments: JSON.stringify(tool ? (given ?? {}) : { question: words }) },
  };
}
