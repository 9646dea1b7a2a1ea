import { type ExecutionContext, provenance, toolCall, toolResult, withMember } from "@parley/a2a";

export interface NotifiedCall {
  readonly callId: string;
  readonly agent: string;
}

export interface NotifiedEnd {
  readonly outcome: keyof typeof OUTCOMES;
  /** Why it did not succeed: in one line, and in full as the result. */
  readonly reason?: string;
  readonly result?: string;
  readonly durationMs: number;
}

const OUTCOMES = {
  succeeded: "completed",
  failed: "failed",
  canceled: "was canceled",
  unknown: "ended, but how is unknown",
} as const;

/** Announces that an agent is called (S0.8). */
export async function notifyStart(
  context: ExecutionContext,
  { agent, callId }: NotifiedCall,
  request: string,
): Promise<void> {
  const call = { id: callId, tool: agent, arguments: { request } };
  const head = {
    name: "tool_notification_start",
    description: `Tool call started: ${agent}`,
    metadata: withMember(withMember(undefined, provenance, { agent, callId, depth: 1 }), toolCall, call),
  };
  await context.artifact(head).close([{ text: `🔧 Supervisor: Calling Agent ${titled(agent)}...\n` }]);
}

/** Announces how a call ended, and how long it took (S0.9). */
export async function notifyEnd(
  context: ExecutionContext,
  { agent, callId }: NotifiedCall,
  { outcome, reason, result, durationMs }: NotifiedEnd,
): Promise<void> {
  const ended = { id: callId, outcome, durationMs, ...(result !== undefined && { result }) };
  const head = {
    name: "tool_notification_complete",
    description: `Tool call completed: ${agent}`,
    metadata: withMember(withMember(undefined, provenance, { agent, callId, depth: 1 }), toolResult, ended),
  };
  const mark = outcome === "succeeded" ? "✅" : "❌";
  const seconds = `(${(durationMs / 1_000).toFixed(1)} s)`;
  const why = outcome !== "succeeded" && reason ? `: ${reason}` : "";
  const text = `${mark} Supervisor: Agent ${titled(agent)} ${OUTCOMES[outcome]} ${seconds}${why}\n`;
  await context.artifact(head).close([{ text }]);
}

/** An agent's name as it stands in a sentence. */
export function titled(agent: string): string {
  return agent.charAt(0).toUpperCase() + agent.slice(1);
}
