import type { SqlRunner } from "@parley/journal";
import type { EventOf, SessionEvent } from "../../domain/session-event.ts";
import type { EndedOnce } from "./agent-statistics.ts";
import type { SessionCommit } from "./message-table.ts";
import { columnValue, insertRows, type Row, valueLists } from "./rows.ts";

const OUTCOMES = {
  succeeded: "completed",
  canceled: "cancelled",
  failed: "failed",
  unknown: "failed",
} as const;

interface Delegation extends Row {
  readonly run_id: string;
  readonly call_id: string;
  readonly agent: string;
}

/** Tracks open delegations; returns those that have ended. */
export async function applyDelegations(
  transaction: SqlRunner,
  commits: readonly SessionCommit[],
): Promise<EndedOnce[]> {
  const open = await takeOpen(transaction, commits);
  const ended: EndedOnce[] = [];
  for (const { events, before, isNew } of commits) {
    const { owner, workspace } = before;
    for (const { payload: event } of events) {
      if (isHandover(event)) {
        const known = open.get(nameOf(event));
        open.set(nameOf(event), known ?? { ...keyOf(event), agent: columnValue(event.tool) });
      } else if (isResult(event)) {
        const handed = open.get(nameOf(event));
        open.delete(nameOf(event));
        // A new session's results were imported.
        if (!handed || isNew) continue;
        const { durationMs } = event;
        const outcome = OUTCOMES[event.outcome];
        ended.push({ owner, workspace, agent: handed.agent, kind: "delegation", outcome, durationMs });
      }
    }
  }
  await insertRows(transaction, "agent_delegations", [...open.values()], {}, "ON CONFLICT DO NOTHING");
  return ended;
}

/** Removes and returns the delegations whose results have come. */
async function takeOpen(
  transaction: SqlRunner,
  commits: readonly SessionCommit[],
): Promise<Map<string, Delegation>> {
  const back = commits.flatMap(({ events }) =>
    events.flatMap(({ payload }) => (isResult(payload) ? [keyOf(payload)] : [])),
  );
  const open = new Map<string, Delegation>();
  for (const { values, parameters } of valueLists(back)) {
    const rows = await transaction.query<Delegation>(
      `DELETE FROM agent_delegations WHERE (run_id, call_id) IN (VALUES ${values}) RETURNING run_id, call_id, agent`,
      parameters,
    );
    for (const row of rows) open.set(JSON.stringify([row.run_id, row.call_id]), row);
  }
  return open;
}

// A delegation's agent has the name of the tool: the tool is an agent.
function isHandover(event: SessionEvent): event is EventOf<"agent_tool_call"> {
  return event.type === "agent_tool_call" && event.agent === event.tool && event.parentCallId === undefined;
}

// Calls that the delegate makes itself may have the same id.
function isResult(event: SessionEvent): event is EventOf<"agent_tool_result"> {
  return event.type === "agent_tool_result" && event.agent !== undefined && event.parentCallId === undefined;
}

function keyOf({ runId, callId }: { readonly runId: string; readonly callId: string }) {
  return { run_id: columnValue(runId), call_id: columnValue(callId) };
}

function nameOf(event: { readonly runId: string; readonly callId: string }): string {
  const { run_id, call_id } = keyOf(event);
  return JSON.stringify([run_id, call_id]);
}
