import { FollowerCutError, type Journal } from "@parley/journal";
import type { SessionEvent } from "../domain/session-event.ts";
import { sessionStream } from "../session-streams.ts";

export interface RunNewsOptions {
  readonly journal: Journal;
  readonly sessionId: string;
  readonly runId: string;
  readonly after: number;
  readonly signal: AbortSignal;
}

/** Calls back with what any node records about a run, until the signal aborts. */
export async function followRun(
  { journal, sessionId, runId, after, signal }: RunNewsOptions,
  heard: (event: SessionEvent) => void,
): Promise<void> {
  for (let from = after; !signal.aborted; ) {
    try {
      for await (const batch of journal.follow<SessionEvent>(sessionStream(sessionId), from, signal)) {
        for (const event of batch) {
          from = event.index;
          if (event.json.startsWith('{"type":"agent_token')) continue;
          const { payload } = event;
          if ("runId" in payload && payload.runId === runId) heard(payload);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof FollowerCutError)) throw error;
      from = error.resumeAfter;
    }
  }
}
