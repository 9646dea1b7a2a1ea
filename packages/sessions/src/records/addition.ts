import { setImmediate as immediate } from "node:timers/promises";
import type { Principal, SessionCommand } from "../domain/session-command.ts";
import type { Decision, SessionEvent } from "../domain/session-event.ts";
import type { SessionState } from "../domain/session-state.ts";

/** How much a command is about to add to what its principal has. */
export interface Addition {
  readonly bytes: number;
  readonly sessions: number;
  readonly runs: number;
}

/** Lets a principal add so much, or throws; the result is disposed of once it is recorded. */
export type Admit = (principal: Principal, addition: Addition) => Promise<Disposable>;

/** Commands without a quota: a principal over quota can still tidy up, and let runs end. */
export const ALWAYS_ADMITTED: ReadonlySet<SessionCommand["type"]> = new Set([
  ...(["answerApproval", "archive", "cancelRun", "delete"] as const),
]);

/** How much a decision adds, copies in forks included. */
export function additionOf(
  { status }: Pick<SessionState, "status">,
  { events, children = [] }: Decision,
): Addition {
  const added = [...events, ...children.flatMap((child) => child.events)];
  const count = (type: (typeof added)[number]["type"]) => added.filter((event) => event.type === type).length;
  return {
    // A deleted session counts again when it is restored.
    sessions: count("session_created") + (status === "deleted" ? count("session_restored") : 0),
    runs: count("agent_start"),
    bytes: JSON.stringify(added).length,
  };
}

/** The size of events as JSON; yields to the event loop, because there may be many. */
export async function bytesOf(events: readonly SessionEvent[]): Promise<number> {
  let bytes = 0;
  for (const [at, event] of events.entries()) {
    if (at % 500 === 499) await immediate();
    bytes += JSON.stringify(event).length;
  }
  return bytes;
}
