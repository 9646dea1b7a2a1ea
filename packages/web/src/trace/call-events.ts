import type { ApiClient, DomainEvent, EventOf, RecordedCall } from "@parley/client";
import type { RunPlace } from "../conversation/run-place.ts";

type CallEvent = EventOf<"agent_tool_call"> | EventOf<"agent_tool_result">;

/** The events that tell of a call: of its beginning and, where it has ended, of its end. */
export async function callEvents(
  client: ApiClient,
  { sessionId, runId }: RunPlace,
  call: RecordedCall,
): Promise<readonly DomainEvent[]> {
  const types = ["agent_tool_call", "agent_tool_result"] as const;
  const pages = await Promise.all(
    types.map((type) => client.listEvents(sessionId, { run: runId, type, limit: 1_000 })),
  );
  return pages
    .flatMap(({ events }) => events as readonly CallEvent[])
    .filter(({ payload }) => isOf(payload, call));
}

function isOf(payload: CallEvent["payload"], { id, agent, parentCallId, taskId }: RecordedCall): boolean {
  return (
    payload.callId === id &&
    payload.agent === agent &&
    payload.parentCallId === parentCallId &&
    payload.taskId === taskId
  );
}
