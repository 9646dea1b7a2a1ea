import { CommandRefusedError, isEnded } from "@parley/sessions";
import { runTakenBy } from "../../api/forked-answer.ts";
import type { FollowedRun } from "../followed-run.ts";
import { isOfRequest } from "./call-key.ts";
import type { McpCaller } from "./mcp-caller.ts";

/** A call that is cancelled is under way, so it is among the newest. */
const RECENT_RUNS = 200;

/** Cancels the run that a request of a session of MCP began, whichever node follows it; one that has ended stays as it is. */
export async function cancelRequest(
  caller: McpCaller,
  requestId: string | number,
  reason?: string,
): Promise<void> {
  const { api, principal, client } = caller;
  const { sessionId: mcpSessionId } = client;
  if (mcpSessionId === undefined) return;
  const runs = await api.sessions.runs(principal, { limit: RECENT_RUNS });
  const open = runs.filter(({ status }) => status === "running" || status === "waiting");
  for (const sessionId of new Set(open.map((run) => run.sessionId))) {
    const state = await api.sessions.state(principal, sessionId);
    const message = state.messages.findLast(
      (one) => one.role === "user" && isOfRequest(principal, sessionId, one, { mcpSessionId, requestId }),
    );
    const run = message && runTakenBy(state, message);
    if (run && !isEnded(run)) return cancelRun(caller, { sessionId, runId: run.id }, reason);
  }
}

/** Cancels a run; one that has ended meanwhile stays as it is. */
export async function cancelRun(
  { api, principal }: Pick<McpCaller, "api" | "principal">,
  { sessionId, runId }: Pick<FollowedRun, "sessionId" | "runId">,
  reason = "The MCP client cancelled the call",
): Promise<void> {
  try {
    await api.sessions.execute(principal, sessionId, { type: "cancelRun", runId, reason });
  } catch (error) {
    if (!(error instanceof CommandRefusedError && error.code === "conflict")) throw error;
  }
}
