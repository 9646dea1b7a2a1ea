import type { Content, Json, Metadata, Part, Trace } from "@parley/a2a";
import type { ModelUsage, ToolDefinition } from "@parley/models";
import type { ApprovalMode } from "../files/approval.ts";

/** A tool as the loop sees it. */
export interface Tool extends ToolDefinition {
  readonly approval: ApprovalMode;
  /** Whether calling it again does no harm: only then is a call repeated whose outcome a crash has hidden. */
  readonly repeatable: boolean;
  /** It commits a note of the task before it does anything, and with that the turn that called it. */
  readonly notesBeginning?: true;
}

/** What came of a call. */
export interface ToolReturn {
  readonly outcome: "succeeded" | "failed" | "canceled" | "unknown";
  /** In words, for the model. */
  readonly text: string;
  /** As data, for whoever looks into the run. */
  readonly data?: Json;
  /** What it made for the user: each a part with bytes or a link. */
  readonly files?: readonly Part[];
  /** The call was the answer, which the user has seen by now: if it was the turn's only one, no turn follows. */
  readonly answers?: true;
  /** What it used of the task's tokens. */
  readonly usage?: ModelUsage;
}

/** A call that cannot go on before a person has answered: it stays open, and is made again when they have. */
export interface WaitingCall {
  readonly outcome: "waiting";
  /** What the person is asked, and what else there is to know about it. */
  readonly question: Content;
  readonly metadata?: Metadata;
}

/** A call to make: the same id means the same call. */
export interface ToolRequest {
  readonly id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Whether the turn has no other call. */
  readonly isOnly: boolean;
  /** The call's own place in a trace. */
  readonly trace?: Trace;
}

/** The tools of one agent, wherever they are. */
export interface ToolBox {
  tools(): readonly Tool[];
  /** What is not available just now, and why: a sentence each, for people. */
  troubles(): readonly string[];
  /** Never rejects: what goes wrong is an outcome too. */
  call(request: ToolRequest, signal: AbortSignal): Promise<ToolReturn | WaitingCall>;
}
