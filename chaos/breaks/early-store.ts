import { setTimeout as sleep } from "node:timers/promises";
import {
  type AppendUnit,
  type CommitPlan,
  planCommit,
} from "../../packages/journal/src/append/commit-plan.ts";
import { NEW_STREAM, type StreamState } from "../../packages/journal/src/event-store.ts";
import { PostgresStore as WholeStore } from "../../packages/journal/src/postgres/postgres-store.ts";
import { deliverNow } from "./early-tails.ts";

export * from "../../packages/journal/src/postgres/postgres-store.ts";

/** Long enough for a crash in between. */
const COMMIT_LATE_MS = 400;

/** A store that delivers session events before it commits them. */
export class PostgresStore extends WholeStore {
  override async commit(units: readonly AppendUnit[]): Promise<CommitPlan> {
    const plan = await this.#planned(units);
    for (const { stream, state, events } of plan?.streams ?? [])
      if (stream.startsWith("session/")) deliverNow(stream, state.id, events);
    await sleep(COMMIT_LATE_MS);
    return super.commit(units);
  }

  /** The events that the append will commit, unless it conflicts or the stream is new. */
  async #planned(units: readonly AppendUnit[]): Promise<CommitPlan | undefined> {
    const states = new Map<string, StreamState>();
    for (const { stream } of units.flatMap(({ parts }) => parts)) {
      const state = await this.state(stream);
      if (!state) return undefined;
      states.set(stream, state);
    }
    const plan = planCommit(units, (stream) => states.get(stream) ?? NEW_STREAM);
    return plan.outcomes.some((outcome) => outcome instanceof Error) ? undefined : plan;
  }
}
