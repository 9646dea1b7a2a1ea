import { A2AError } from "@parley/a2a";
import type { Principal } from "../records/principal.ts";
import type { AgentAddress, AgentCalls } from "./agent-calls.ts";

/** Asks an agent to stop its task. Whatever it does, the run is over: only what kept it from hearing is given back. */
export async function cancelTask(
  agents: AgentCalls,
  address: AgentAddress,
  asked: { readonly principal: Principal; readonly taskId: string; readonly milliseconds: number },
): Promise<Error | undefined> {
  const { principal, taskId, milliseconds } = asked;
  try {
    const client = await agents.clientFor(address, principal);
    await client.cancel({ id: taskId }, { signal: AbortSignal.timeout(milliseconds) });
    return undefined;
  } catch (error) {
    // It has ended, or cannot be cancelled.
    return error instanceof A2AError ? undefined : (error as Error);
  }
}
