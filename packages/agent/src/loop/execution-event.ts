import type { ApprovalRequest, Content, Metadata, Part } from "@parley/a2a";
import type { ModelUsage, ToolCall } from "@parley/models";
import type { ToolReturn } from "./tool-box.ts";

/** A call that has ended. */
export interface EndedCall extends ToolReturn {
  readonly id: string;
  readonly tool: string;
  readonly durationMs: number;
}

/** What happens while an agent works, in the order in which it happens (S2.4–9). */
export type ExecutionEvent =
  | { readonly type: "text"; readonly text: string }
  /** All text so far is taken back, and begins anew with this. */
  | { readonly type: "text-restart"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** A piece of a call's arguments while the model writes them. */
  | { readonly type: "tool-input"; readonly id: string; readonly tool: string; readonly text: string }
  | { readonly type: "tool-selected"; readonly call: ToolCall }
  /** What a call made for the user; its result follows. */
  | { readonly type: "tool-files"; readonly callId: string; readonly files: readonly Part[] }
  | { readonly type: "tool-result"; readonly result: EndedCall }
  | { readonly type: "complete"; readonly durationMs: number; readonly usage: ModelUsage }
  | { readonly type: "approval-needed"; readonly request: ApprovalRequest }
  /** A call waits for a person's answer. */
  | { readonly type: "input-needed"; readonly question: Content; readonly metadata?: Metadata }
  | { readonly type: "error"; readonly message: string };
