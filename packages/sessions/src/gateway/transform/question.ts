import type { PeerEvent, Provenance } from "@parley/a2a";
import type { EventOf } from "../../domain/session-event.ts";

/** What an agent asks a person, and what it is known by when it is told again. */
export interface Question {
  readonly key: string;
  /** The agent's own id for it, where it is about a call of a tool. */
  readonly requestId?: string;
  readonly asked: Omit<EventOf<"approval_requested">, "approvalId" | "runId">;
}

const UNSAID = "The agent needs something to go on, and does not say what.";

/** Which agent below the run's own did this, and in which call. */
export function source({ agent, callId }: Partial<Provenance> = {}): {
  readonly agent?: string;
  readonly parentCallId?: string;
} {
  return { ...(agent !== undefined && { agent }), ...(callId && { parentCallId: callId }) };
}

export function questionOf(event: Extract<PeerEvent, { type: "question" }>): Question {
  const { request, origin, message, text, status } = event;
  const asked = {
    type: "approval_requested" as const,
    question: text || request?.reason || UNSAID,
    ...source(origin),
    ...(request && { tool: request.tool, argumentsHash: request.argumentsHash }),
    ...(request?.arguments !== undefined && { arguments: request.arguments }),
  };
  const { parentCallId = "" } = asked;
  // Each agent counts its requests by itself.
  const key = request ? `${parentCallId} ${request.id}` : message?.messageId || `${status.timestamp} ${text}`;
  return { key, asked, ...(request && { requestId: request.id }) };
}
