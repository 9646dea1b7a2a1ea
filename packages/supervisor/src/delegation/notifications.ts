import {
  type ExecutionContext,
  type Metadata,
  provenance,
  toolCall,
  toolResult,
  withMember,
} from "@parley/a2a";

export interface NotifiedCall {
  readonly callId: string;
  readonly agent: string;
}

/** How a call ended. */
export interface NotifiedEnd {
  readonly outcome: "succeeded" | "failed" | "canceled" | "unknown";
  /** Why, where it did not succeed: in a line, and in all the words that there are. */
  readonly reason?: string;
  readonly result?: string;
  readonly durationMs: number;
}

/** Tells that an agent is called (S0.8). */
export async function notifyStart(
  context: ExecutionContext,
  call: NotifiedCall,
  request: string,
): Promise<void> {
  const { agent, callId } = call;
  const metadata = withMember(origin(call), toolCall, { id: callId, tool: agent, arguments: { request } });
  const text = `🔧 Supervisor: Calling Agent ${titled(agent)}...\n`;
  await notify(
    context,
    { name: "tool_notification_start", description: `Tool call started: ${agent}`, metadata },
    text,
  );
}

/** Tells how a call ended, and how long it took (S0.9). */
export async function notifyEnd(
  context: ExecutionContext,
  call: NotifiedCall,
  { outcome, reason, result, durationMs }: NotifiedEnd,
): Promise<void> {
  const { agent, callId } = call;
  const ended = { id: callId, outcome, durationMs, ...(result !== undefined && { result }) };
  const metadata = withMember(origin(call), toolResult, ended);
  const seconds = `(${(durationMs / 1_000).toFixed(1)} s)`;
  const text =
    outcome === "succeeded"
      ? `✅ Supervisor: Agent ${titled(agent)} completed ${seconds}\n`
      : `❌ Supervisor: Agent ${titled(agent)} ${OUTCOMES[outcome]} ${seconds}${reason ? `: ${reason}` : ""}\n`;
  const description = `Tool call completed: ${agent}`;
  await notify(context, { name: "tool_notification_complete", description, metadata }, text);
}

/** An agent's name as it stands in a sentence. */
export function titled(agent: string): string {
  return agent.charAt(0).toUpperCase() + agent.slice(1);
}

const OUTCOMES = {
  failed: "failed",
  canceled: "was canceled",
  unknown: "ended, but how is unknown",
} as const;

async function notify(
  context: ExecutionContext,
  head: { readonly name: string; readonly description: string; readonly metadata: Metadata },
  text: string,
): Promise<void> {
  await context.artifact(head).close([{ text }]);
}

function origin({ agent, callId }: NotifiedCall): Metadata {
  return withMember(undefined, provenance, { agent, callId, depth: 1 });
}
