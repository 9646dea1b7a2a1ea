import { setTimeout as sleep } from "node:timers/promises";
import { isEnded } from "@parley/sessions";
import { runTakenBy } from "../conversations/session-reading.ts";
import { unless } from "../problem.ts";
import { requestMark } from "./call-tokens.ts";
import type { CalledRun, McpCaller } from "./mcp-caller.ts";

/** A call that can be cancelled is still running, so it is among the newest. */
const RECENT_RUNS = 200;
/** A cancellation has its own connection, perhaps to another node, and may arrive before the call. */
const RETRY_DELAYS_MS = [200, 800, 2_000];

/** Cancels the run that a request of an MCP session started, on whichever node; one that has ended stays as it is. */
export async function cancelRequest(
  caller: McpCaller,
  requestId: string | number,
  reason?: string,
): Promise<void> {
  if (await tryCancel(caller, requestId, reason)) return;
  const { host, identity } = caller;
  const later = async () => {
    for (const ms of RETRY_DELAYS_MS) {
      await sleep(ms, undefined, { ref: false });
      // The caller may have lost access since.
      if (host.draining.aborted || identity.ended?.aborted) return;
      if (await tryCancel(caller, requestId, reason)) return;
    }
  };
  void later().catch((error: unknown) => host.log.error({ err: error }, "a call was not cancelled"));
}

async function tryCancel(caller: McpCaller, requestId: string | number, reason?: string): Promise<boolean> {
  const { host, principal, client } = caller;
  const { sessionId: mcpSessionId } = client;
  if (mcpSessionId === undefined) return true;
  const request = requestMark(mcpSessionId, requestId);
  const runs = await host.sessions.runs(principal, { limit: RECENT_RUNS });
  const open = runs.filter(({ status }) => status === "running" || status === "waiting");
  for (const sessionId of new Set(open.map((run) => run.sessionId))) {
    const mark = [...(await host.sessions.marks(principal, sessionId))].findLast((one) =>
      one.startsWith(request),
    );
    if (mark === undefined) continue;
    const state = await host.sessions.state(principal, sessionId);
    const message = state.messages.find(({ id }) => id === mark.slice(request.length));
    const run = message && runTakenBy(state, message);
    if (run && !isEnded(run)) await cancelRun(caller, { sessionId, runId: run.id }, reason);
    return true;
  }
  return false;
}

/** Cancels a run; one that has ended meanwhile stays as it is. */
export async function cancelRun(
  { host, principal }: Pick<McpCaller, "host" | "principal">,
  { sessionId, runId }: Pick<CalledRun, "sessionId" | "runId">,
  reason = "The MCP client cancelled the call",
): Promise<void> {
  await unless("conflict", host.sessions.execute(principal, sessionId, { type: "cancelRun", runId, reason }));
}
