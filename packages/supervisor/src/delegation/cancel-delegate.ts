import { type A2AClient, A2AError, type Message } from "@parley/a2a";
import { pause } from "@parley/journal";
import { findTask } from "./delegate-stream.ts";
import type { DelegationEntry } from "./delegation-log.ts";

/** A message that was cut off may still be on its way: so often is looked for its task. */
const LOOKS_AFTER_MS = [0, 200, 600];

/** How a sub-agent took it that it was asked to stop, or that it said nothing in time. */
type Cancellation = NonNullable<DelegationEntry["canceled"]>;

/** Asks a sub-agent to stop, also where we have not heard of its task yet. Never rejects. */
export async function cancelDelegate(
  client: A2AClient,
  { known, message, withinMs }: { known: DelegationEntry; message: Message; withinMs: number },
): Promise<Cancellation> {
  const began = performance.now();
  const deadline = new Date(Date.now() + withinMs);
  const answered = (acknowledged: boolean, detail: string) => ({
    acknowledged,
    detail,
    ms: Math.round(performance.now() - began),
  });
  try {
    const id = known.task ?? (await lookFor(client, message, deadline));
    if (id === undefined) return answered(false, "no task of it was found");
    const { status } = await client.cancel({ id }, { deadline });
    return answered(true, status.state);
  } catch (error) {
    if (error instanceof A2AError && error.kind === "TaskNotCancelable")
      return answered(true, "it had ended");
    return answered(false, error instanceof Error ? error.message : String(error));
  }
}

async function lookFor(client: A2AClient, message: Message, deadline: Date): Promise<string | undefined> {
  for (const milliseconds of LOOKS_AFTER_MS) {
    await pause(milliseconds, undefined);
    const found = await findTask(client, message, { deadline });
    if (found !== undefined) return found;
  }
  return undefined;
}
