import type { Journal, Lease } from "@parley/journal";
import type { Principal } from "../../domain/session-command.ts";
import { CommandRefusedError } from "../../domain/session-command.ts";
import type { SessionState } from "../../domain/session-state.ts";
import { RunEndedError } from "../../open-session.ts";
import { runStream } from "../../session-streams.ts";
import type { Sessions } from "../../sessions.ts";
import { type Move, moveOf, type Step } from "../../testing/random-moves.ts";

export const ann: Principal = { owner: "ann", workspace: "w" };

/** Plays a random history through the record, and answers with the sessions as it told them. */
export async function playHistory(
  { journal, sessions }: { journal: Journal; sessions: Sessions },
  steps: readonly Step[],
  name: string,
): Promise<ReadonlyMap<string, SessionState>> {
  const states = new Map<string, SessionState>();
  const leases = new Map<string, Lease>();
  for (const [number, step] of steps.entries()) {
    const move = moveOf(step, states, `${name}-${number}`);
    try {
      for (const state of await make(move)) states.set(state.id, state);
    } catch (error) {
      if (!(error instanceof CommandRefusedError || error instanceof RunEndedError)) throw error;
    }
  }
  return states;

  async function make(move: Move): Promise<SessionState[]> {
    if ("command" in move) {
      const { state, children } = await sessions.execute(ann, move.sessionId, move.command);
      return [state, ...children];
    }
    const lease = leases.get(move.runId) ?? (await journal.acquire(runStream(move.runId)));
    leases.set(move.runId, lease);
    return [await sessions.session(move.sessionId).append(lease, move.runId, move.events, [{ frame: 1 }])];
  }
}
