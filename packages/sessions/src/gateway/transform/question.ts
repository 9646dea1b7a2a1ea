import { approvalRequest, type Metadata, memberInPart, type TaskStatus } from "@parley/a2a";
import type { EventOf } from "../../domain/session-event.ts";
import { wordsOf } from "./artifact-kind.ts";
import { agentIn, originIn } from "./tool-events.ts";

/** What an agent asks a person, and what it is known by when it is told again. */
export interface Question {
  readonly key: string;
  /** The agent's own id for it, where it is about a call of a tool. */
  readonly requestId?: string;
  readonly asked: Omit<EventOf<"approval_requested">, "approvalId" | "runId">;
}

const UNSAID = "The agent needs something to go on, and does not say what.";

/** The question of a status; while it works, an agent asks only for approvals. */
export function questionIn(
  { state, message, timestamp }: TaskStatus,
  metadata: Metadata | undefined,
): Question | undefined {
  const request = message?.parts.map((part) => memberInPart(part, approvalRequest).value).find(Boolean);
  const waits = state === "TASK_STATE_INPUT_REQUIRED" || state === "TASK_STATE_AUTH_REQUIRED";
  if (!waits && !(request && state === "TASK_STATE_WORKING")) return undefined;
  const origin = agentIn(metadata) === undefined ? message?.metadata : metadata;
  const words = wordsOf(message?.parts ?? []);
  const asked = {
    type: "approval_requested" as const,
    question: words || request?.reason || UNSAID,
    ...originIn(origin),
    ...(request && { tool: request.tool, argumentsHash: request.argumentsHash }),
    ...(request?.arguments !== undefined && { arguments: request.arguments }),
  };
  const { parentCallId = "" } = asked;
  // Each agent counts its requests by itself.
  const key = request ? `${parentCallId} ${request.id}` : message?.messageId || `${timestamp} ${words}`;
  return { key, asked, ...(request && { requestId: request.id }) };
}
