import { type A2AClient, A2AError } from "@parley/a2a";
import type { DelegationEntry } from "./delegation-log.ts";

/** Asks a sub-agent to stop, and returns how it took it, or that it said nothing in time. Never rejects. */
export async function cancelDelegate(
  client: A2AClient,
  taskId: string,
  withinMs: number,
): Promise<NonNullable<DelegationEntry["canceled"]>> {
  const began = performance.now();
  const answered = (acknowledged: boolean, detail: string) => ({
    acknowledged,
    detail,
    ms: Math.round(performance.now() - began),
  });
  try {
    const { status } = await client.cancel({ id: taskId }, { deadline: new Date(Date.now() + withinMs) });
    return answered(true, status.state);
  } catch (error) {
    if (error instanceof A2AError && error.kind === "TaskNotCancelable")
      return answered(true, "it had ended");
    return answered(false, error instanceof Error ? error.message : String(error));
  }
}
