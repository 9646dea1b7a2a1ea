import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { SessionEvent } from "../domain/session-event.ts";
import type { EndedOnce } from "./agent-statistics.ts";
import { columnValue } from "./insert-rows.ts";
import type { SessionRow } from "./session-row.ts";

const OUTCOMES = {
  succeeded: "completed",
  canceled: "cancelled",
  failed: "failed",
  unknown: "failed",
} as const;

/** Keeps in mind which agent was handed work, until it comes back; answers with how it did then. */
export async function applyToDelegations(
  transaction: SqlRunner,
  { owner, workspace }: SessionRow,
  { payload: event }: RecordedEvent<SessionEvent>,
): Promise<EndedOnce | undefined> {
  if (event.type === "agent_tool_call") {
    // Whose work the call is bears the tool's own name: the tool is an agent.
    if (event.agent !== event.tool || event.parentCallId !== undefined) return undefined;
    await transaction.query(
      "INSERT INTO agent_delegations (run_id, call_id, agent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [event.runId, event.callId, event.tool].map(columnValue),
    );
    return undefined;
  }
  // What the agent that was asked does itself may bear the same id.
  if (event.type !== "agent_tool_result" || event.agent === undefined || event.parentCallId !== undefined)
    return undefined;
  const [handed] = await transaction.query<{ agent: string }>(
    "DELETE FROM agent_delegations WHERE run_id = $1 AND call_id = $2 RETURNING agent",
    [event.runId, event.callId].map(columnValue),
  );
  if (!handed) return undefined;
  const { durationMs } = event;
  return {
    owner,
    workspace,
    agent: handed.agent,
    kind: "delegation",
    outcome: OUTCOMES[event.outcome],
    durationMs,
  };
}
